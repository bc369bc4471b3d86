/**
 * Decides which environment a run gets, and whether it can be had here. The operator's word about a repository stands
 * alone: nothing of the repository's own file is mixed into it.
 */
import {
  describeEnvironmentProblems,
  ENVIRONMENT_PATH,
  readEnvironmentFile,
} from '@sallyport/teams/environment/read-environment-file';
import type { Environment } from '@sallyport/teams/environment/environment';
import type { Environments } from './read-environments.ts';

/** Why no environment can be had although one is asked for; the last ones come from its commands and what they made. */
export interface EnvironmentProblem {
  reason: string;
  message: string;
}

export interface ChosenEnvironment {
  environment: Environment;
  from: 'operator' | 'repository';
  /** What of this host its commands are lent, by name. */
  registries: readonly { name: string; directory: string }[];
}

/** `ask`: the repository's own file decides; `none`: there is none, whatever the repository says. */
export type OperatorsWord =
  | { kind: 'ask' }
  | { kind: 'none' }
  | { kind: 'given'; environment: Environment };

/** What the operator says about this repository, `owner/name`. */
export function askOperator(environments: Environments, repository: string): OperatorsWord {
  const given = environments.repositories.get(repository.toLowerCase());
  if (given === null) return { kind: 'none' };
  if (given !== undefined) return { kind: 'given', environment: given };
  return { kind: environments.fromRepositories ? 'ask' : 'none' };
}

/** Reads the repository's own file, or says what is wrong in it, line by line. */
export function readOwnEnvironment(text: string): Environment | EnvironmentProblem {
  const read = readEnvironmentFile(text);
  if (read.ok) return read.environment;
  const places = describeEnvironmentProblems(read.problems).replaceAll(
    /^/gm,
    `${ENVIRONMENT_PATH}:`,
  );
  return { reason: 'file_unusable', message: places };
}

/** Finds what the environment asks for; a problem names what is missing and what to do about it. */
export function resolveEnvironment(
  environments: Environments,
  repository: string,
  environment: Environment,
  from: ChosenEnvironment['from'],
): ChosenEnvironment | EnvironmentProblem {
  if (environment.network === 'registries') {
    const message =
      'network: registries cannot be had: nothing leads from a sandbox to a registry yet; write network: none and name a registry that the operator lends as a directory';
    return { reason: 'registry_egress_unavailable', message };
  }
  if (environment.image !== undefined) {
    const known = environments.images.has(environment.image);
    const message = known
      ? `image: "${environment.image}" cannot be used: no sandbox here is made from an image that an environment names; leave image out`
      : `image: "${environment.image}" is none of the operator's (${listed(environments.images.keys())})`;
    return { reason: known ? 'image_unavailable' : 'image_unknown', message };
  }
  const offered = new Map(
    [...environments.registries].filter(
      ([, { repositories }]) => repositories === null || repositories.has(repository.toLowerCase()),
    ),
  );
  const registries: { name: string; directory: string }[] = [];
  for (const name of environment.registries) {
    const registry = offered.get(name);
    if (registry === undefined) {
      const message = `registries: "${name}" is none that the operator lends to this repository (${listed(offered.keys())})`;
      return { reason: 'registry_unknown', message };
    }
    registries.push({ name, directory: registry.directory });
  }
  return { environment, from, registries };
}

/** Tells a problem from what it stands in the place of. */
export function isProblem(value: object): value is EnvironmentProblem {
  return 'reason' in value && 'message' in value;
}

function listed(names: Iterable<string>): string {
  return `there are: ${[...names].toSorted().join(', ') || 'none'}`;
}
