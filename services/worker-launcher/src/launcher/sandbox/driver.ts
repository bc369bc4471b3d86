/**
 * The border behind which foreign code runs: what may be asked of a sandbox and every way in which it can end. A driver
 * gives a process nothing that its specification does not name: no network, no environment, no host path. Drivers differ
 * in how they build the wall, never in what stands behind it.
 */

export const DRIVER_NAMES = ['bubblewrap', 'docker'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

/**
 * What the host lends to a sandbox. `role` says in logs what the mount is for (`tree`, `in`, `out`, `mirror`);
 * `source` and `target` are absolute paths, on the host and inside.
 */
export type SandboxMount =
  | {
      kind: 'bind';
      role: string;
      source: string;
      target: string;
      access: 'read_only' | 'read_write';
    }
  | { kind: 'tmpfs'; role: string; target: string; sizeBytes: number }
  /**
   * Directories laid one upon another, the topmost first, each as it is on the host and never written to. `view` is a
   * directory of this sandbox alone, in which the driver makes what it needs; with `read_write` what is changed and only
   * that lies in `upper` there afterwards, deletions as character devices 0/0.
   */
  | {
      kind: 'overlay';
      role: string;
      layers: readonly string[];
      view: string;
      target: string;
      access: 'read_only' | 'read_write';
    };
export type OverlayMount = Extract<SandboxMount, { kind: 'overlay' }>;

/** The bounds of one sandbox. Every one of them is enforced; how well on this machine, `detect.ts` finds out. */
export interface SandboxLimits {
  /** From start to forced end. */
  wallMs: number;
  /** Between the polite signal and the forced end when time runs out or the caller stops the sandbox; at most 4,000. */
  graceMs: number;
  /** Resident memory of all processes together, and the size of each scratch file system. */
  memoryBytes: number;
  /** Threads of all processes together. */
  processes: number;
  /** Size of one file. */
  fileBytes: number;
  /** What all processes together may write to disk. */
  diskBytes: number;
  /** Standard output and standard error together. */
  outputBytes: number;
  /** Open files of one process. */
  openFiles: number;
}

/** What to run. `argv[0]` is an absolute path inside the sandbox. */
export interface SandboxSpec {
  /** Unlike that of any other start: an engine can tell by it that the same would be started twice. */
  id: string;
  argv: readonly [string, ...string[]];
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  mounts: readonly SandboxMount[];
  network: 'none';
  limits: SandboxLimits;
  /** Whose sandbox this is (task, run, step), for logs and for engines that can label what they run. */
  labels: Readonly<Record<string, string>>;
  /** Given to standard input, then closed. A stream is read no faster than the program reads. */
  stdin?: Uint8Array | AsyncIterable<Uint8Array>;
}

export interface SandboxHooks {
  /** Aborting ends the sandbox: the polite signal, `graceMs`, then the forced one. */
  signal?: AbortSignal;
  /**
   * Sees each piece of standard output; the program is held back until the returned promise settles. The bytes are the
   * driver's: whoever keeps them beyond that keeps a copy.
   */
  onStdout?: (chunk: Buffer) => void | Promise<void>;
}

export const START_FAILURES = [
  'driver_missing',
  'mount_missing',
  'setup_failed',
  'bad_spec',
  /** A sandbox of this id has been made before: this very start is somebody's already. */
  'already_started',
] as const;
export type StartFailure = (typeof START_FAILURES)[number];

export type SandboxEnd =
  | { kind: 'exited'; code: number }
  /** The program died of a signal that neither the caller nor a limit sent. */
  | { kind: 'signalled'; signal: string }
  | { kind: 'timed_out' }
  | { kind: 'output_limit' }
  | { kind: 'memory_limit' }
  | { kind: 'process_limit' }
  | { kind: 'disk_limit' }
  /** The caller's signal ended it. */
  | { kind: 'stopped' }
  /** Nothing of the program ran; `detail` is the driver's own last words. */
  | { kind: 'start_failed'; reason: StartFailure; detail: string };

/** The last bytes that a stream carried, as text, beginning with a marker when earlier ones were dropped. */
export interface OutputTail {
  text: string;
  totalBytes: number;
  truncated: boolean;
}

export interface SandboxExit {
  end: SandboxEnd;
  durationMs: number;
  stdout: OutputTail;
  stderr: OutputTail;
  /** The highest values that were sampled; zero when the sandbox ended before the first sample. */
  peak: { memoryBytes: number; processes: number };
}

export interface SandboxDriver {
  readonly name: DriverName;
  /** Where a Node binary is found inside its sandboxes. */
  readonly node: string;
  /**
   * Runs one sandbox to its end. When the promise settles no process of it is left.
   * @throws whatever `hooks.onStdout` or the stdin stream threw, after the sandbox has been ended.
   */
  run(spec: SandboxSpec, hooks?: SandboxHooks): Promise<SandboxExit>;
  /**
   * Ends sandboxes of this run that another launcher, or a connection that broke, left behind; how many there were. To be
   * called by whoever holds the run's lease, before anything of it is started.
   */
  endLeft(runId: string): Promise<number>;
}
