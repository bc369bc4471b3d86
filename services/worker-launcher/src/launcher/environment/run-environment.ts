/** What a run was given besides its source: a layer that lies below the trees of all its steps. */

export interface RunEnvironment {
  /** The whole of it on this host. */
  directory: string;
  /** What steps see. */
  layer: string;
  /** The topmost paths in it. What a step makes of them is no work. */
  paths: readonly string[];
}
