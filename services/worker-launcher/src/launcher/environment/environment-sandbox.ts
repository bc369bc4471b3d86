/**
 * The sandbox in which an environment is made: the tree of the base commit as a step sees it, the registries that the
 * operator lends, and neither agent, task nor network.
 */
import { HISTORY_TARGET, historyDirectory } from '../collector/layout.ts';
import { BASE_ENVIRONMENT, STEP_LIMITS, TREE } from '../run/step-places.ts';
import type { SandboxMount, SandboxSpec } from '../sandbox/driver.ts';
import type { ChosenEnvironment } from './choose-environment.ts';
import { commandScript } from './command-script.ts';

/** Where registries lie inside, each under its name. */
export const REGISTRIES = '/registry';

export interface EnvironmentSandboxInput {
  id: string;
  labels: Readonly<Record<string, string>>;
  chosen: ChosenEnvironment;
  treeMounts: readonly SandboxMount[];
  runDirectory: string;
  wallMs: number;
}

export function buildEnvironmentSandbox(input: EnvironmentSandboxInput): SandboxSpec {
  const { environment, registries } = input.chosen;
  return {
    id: input.id,
    argv: commandScript(environment.commands),
    env: { CI: 'true', ...environment.env, ...BASE_ENVIRONMENT },
    cwd: TREE,
    mounts: [
      ...input.treeMounts,
      lent('history', historyDirectory(input.runDirectory), HISTORY_TARGET),
      ...registries.map(({ name, directory }) =>
        lent('registry', directory, `${REGISTRIES}/${name}`),
      ),
    ],
    network: 'none',
    limits: { ...STEP_LIMITS, wallMs: input.wallMs },
    labels: { ...input.labels, kind: 'environment' },
  };
}

function lent(role: string, source: string, target: string): SandboxMount {
  return { kind: 'bind', role, source, target, access: 'read_only' };
}
