/** The GitHub stand-in as a process of its own, bound to the one that starts it, with an App whose key its starter holds. */
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, spawnBound } from '@sallyport/cli/local/bound-process';
import { readLines } from '@sallyport/cli/local/line-reader';
import type { OsAccount } from '@sallyport/cli/local/os-account';
import { nodeCommand, viewCode } from '@sallyport/cli/local/code-view';
import { runtimeEnvironment } from '@sallyport/cli/local/process-table';
import {
  createGithubControl,
  type GithubControl,
} from '../github/control/create-github-control.ts';

const START_TIMEOUT_MS = 60_000;

export interface StandIn {
  readonly url: string;
  readonly apiUrl: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly botLogin: string;
    readonly botId: number;
  };
  /** PEM. */
  readonly appKey: string;
  readonly control: GithubControl;
  readonly repos: readonly {
    readonly id: number;
    readonly fullName: string;
    readonly headSha: string;
  }[];
  stop(): Promise<void>;
}

/** Starts it. `state` is what its main reads (users, repos …); `dir` is where its files go. */
export async function startStandIn(options: {
  readonly dir: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly account?: OsAccount | undefined;
  /** An existing directory that the account can enter. */
  readonly temporaryDir: string;
}): Promise<StandIn> {
  const { dir, account } = options;
  const keyFile = join(dir, 'app-key.pem');
  const stateFile = join(dir, 'state.json');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(stateFile, JSON.stringify({ ...options.state, privateKeyFile: keyFile }), {
    mode: 0o600,
  });
  if (account !== undefined) {
    for (const path of [dir, stateFile]) chownSync(path, account.uid, account.gid);
  }
  const code = viewCode(account, options.temporaryDir);
  const child = spawnBound({
    argv: [...nodeCommand('test/support/github/main.ts', code), '--state', stateFile],
    bind: code.bind,
    env: runtimeEnvironment(dir),
    cwd: '/',
    account,
    deathSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  if (child.stderr) readLines(child.stderr, (line) => errors.push(line));
  const first = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the GitHub stand-in said nothing: ${errors.join('\n')}`)),
      START_TIMEOUT_MS,
    );
    if (child.stdout) readLines(child.stdout, (line) => resolve(line));
    child.once('exit', (status) =>
      reject(new Error(`the GitHub stand-in ended with ${status}: ${errors.join('\n')}`)),
    );
    void Promise.resolve().then(() => timer.unref());
  });
  const stop = (): Promise<void> => endProcess(child, [{ signal: 'SIGTERM', timeoutMs: 5000 }]);
  try {
    const facts = JSON.parse(await first) as Omit<StandIn, 'control' | 'stop' | 'appKey'> & {
      controlToken: string;
    };
    return {
      ...facts,
      appKey: readFileSync(keyFile, 'utf8'),
      control: createGithubControl(facts.url, facts.controlToken),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
