/**
 * Whether an engine can build the wall that this guard promises. An engine that cannot bound memory says so in a warning
 * and starts the container all the same; the guard does not start.
 */
import { AppError } from '@sallyport/shared/errors';
import type { EngineInfo, EngineVersion } from '../engine/engine-types.ts';
import type { Owner } from '../workspace/open-beneath.ts';

const OLDEST_API = [1, 41] as const;
const LIMITS = [
  ['MemoryLimit', 'memory'],
  ['PidsLimit', 'processes'],
  ['CpuCfsQuota', 'CPU time'],
] as const;

export interface Demands {
  runtime: string | undefined;
  userns: 'as_it_is' | 'remap_required';
  uid: number;
  gid: number;
}

export interface JudgedEngine {
  /** What stands before every path: `/v1.41`, or the oldest later one that the engine still speaks. */
  version: string;
  /** To whom on this host the files of sandboxes belong. */
  owner: Owner;
  hasInit: boolean;
  warnings: readonly string[];
}

/**
 * Judges an engine by what it says of itself.
 * @throws AppError `bad_config` that lists all that is missing, one a line, with the mend.
 */
export function judgeEngine(info: EngineInfo, said: EngineVersion, demands: Demands): JudgedEngine {
  const version = chooseVersion(said);
  const options = new Set((info.SecurityOptions ?? []).map(nameOfOption));
  const problems: string[] = [];
  if (version === undefined) {
    problems.push(
      `the engine speaks API ${said.MinAPIVersion} to ${said.ApiVersion}; version 1.41 or later is needed: update it`,
    );
  }
  for (const [flag, what] of LIMITS) {
    if (!info[flag])
      problems.push(
        `the engine cannot bound ${what} (${flag}); enable that controller in the kernel's cgroups`,
      );
  }
  const seccomp = (info.SecurityOptions ?? []).find((option) => nameOfOption(option) === 'seccomp');
  if (seccomp === undefined || seccomp.includes('profile=unconfined')) {
    problems.push(
      'the engine starts containers without seccomp; remove "seccomp-profile": "unconfined" from its daemon.json',
    );
  }
  if (options.has('rootless')) {
    problems.push(
      "the engine runs without root, where the owner of sandboxes' files is none that the guard can give; use one that runs as root",
    );
  }
  if (demands.userns === 'remap_required' && !options.has('userns')) {
    problems.push(
      'USERNS: the engine does not remap users; set "userns-remap": "default" in its daemon.json',
    );
  }
  if (demands.runtime !== undefined && !Object.hasOwn(info.Runtimes ?? {}, demands.runtime)) {
    const known = Object.keys(info.Runtimes ?? {}).join(', ');
    problems.push(
      `RUNTIME: the engine knows no runtime "${demands.runtime}" (it knows: ${known}); add it to "runtimes" in its daemon.json`,
    );
  }
  const owner = ownerOnHost(info, options.has('userns'), demands);
  if (owner === undefined) {
    problems.push(
      `the engine remaps users, but its directory ${info.DockerRootDir} does not say to which numbers`,
    );
  }
  if (problems.length > 0 || version === undefined || owner === undefined) {
    throw new AppError('bad_config', `the engine cannot be used:\n  ${problems.join('\n  ')}`);
  }
  const init = said.Components?.find(({ Name }) => Name === 'docker-init')?.Version;
  return {
    version: `/v${version}`,
    owner,
    hasInit: init !== undefined && init !== 'N/A',
    warnings: info.SwapLimit
      ? []
      : ['the engine cannot bound swap: a sandbox can use more memory than it is given'],
  };
}

function chooseVersion({ MinAPIVersion, ApiVersion }: EngineVersion): string | undefined {
  const least = numbersOf(MinAPIVersion);
  const most = numbersOf(ApiVersion);
  if (least === undefined || most === undefined || isBefore(most, OLDEST_API)) return undefined;
  return (isBefore(least, OLDEST_API) ? OLDEST_API : least).join('.');
}

function numbersOf(version: string): [number, number] | undefined {
  const [, major, minor] = /^([0-9]{1,3})\.([0-9]{1,3})$/.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

function isBefore(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

function nameOfOption(option: string): string {
  return /name=([^,]*)/.exec(option)?.[1] ?? '';
}

/** An engine that remaps users keeps its data in a directory named for the first number that it maps to. */
function ownerOnHost(
  { DockerRootDir }: EngineInfo,
  remaps: boolean,
  { uid, gid }: Demands,
): Owner | undefined {
  if (!remaps) return { uid, gid };
  const [, firstUid, firstGid] = /\/([0-9]{1,10})\.([0-9]{1,10})$/.exec(DockerRootDir) ?? [];
  if (firstUid === undefined) return undefined;
  return { uid: Number(firstUid) + uid, gid: Number(firstGid) + gid };
}
