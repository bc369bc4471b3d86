/** What a running step of a whole deployment has of its secrets: nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CANARY_VARIABLE } from '../../services/worker-launcher/src/launcher/canary/place-canary.ts';
import { sandboxProcesses, scanSandbox } from '../escape/scan-sandbox.ts';
import { startLine, type Line } from '../support/line/start-line.ts';
import { requireRoot } from '../support/local/look-as.ts';

const START_MS = 60_000;

let line: Line;
const state = createTemporaryDirectory();
beforeAll(async () => {
  requireRoot();
  line = await startLine({
    state: state.path,
    env: process.env,
    script: [{ do: 'sleep', ms: 120_000 }],
  });
});
afterAll(async () => {
  await line?.stop();
  state.remove();
});

/** Every secret of every process, and what is made of them. */
function secretsOf({ deployment, github }: Line): Record<string, string> {
  const files = deployment.processes.flatMap(({ name, places: { secretsDir } }) =>
    readdirSync(secretsDir).map((file): [string, string] => [
      `${name}/${file}`,
      readFileSync(join(secretsDir, file), 'utf8').trim(),
    ]),
  );
  const passwords = files.flatMap(([name, value]): [string, string][] => {
    const password = /:\/\/[^:/@]*:([^@]+)@/.exec(value)?.[1];
    return password === undefined ? [] : [[`${name} (password)`, decodeURIComponent(password)]];
  });
  return {
    // The public half is on the list of the launcher alone, and is no secret.
    ...Object.fromEntries(files.filter(([name]) => !name.endsWith('ticket-public-keys'))),
    ...Object.fromEntries(passwords),
    'the App key': github.appKey.trim(),
    'the webhook secret': deployment.webhookSecret,
    'the operator token': deployment.operatorToken,
    'the URL of Postgres': deployment.operatorDatabaseUrl,
    'the URL of Redis': deployment.operatorRedisUrl,
  };
}

async function waitForAgent(): Promise<number[]> {
  const launcher = line.deployment.supervisor.pidOf('worker-launcher');
  const deadline = Date.now() + START_MS;
  while (launcher !== undefined && Date.now() < deadline) {
    const pids = sandboxProcesses(launcher);
    if (pids.some((pid) => commandOf(pid).includes('scripted-agent'))) return pids;
    await sleep(100);
  }
  throw new Error('no agent was started');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

it('has no credential in its environment, its files and its processes but the one that is bait', async () => {
  const issue = await line.addIssue();
  await line.comment(issue, '/agent fix');
  const pids = await waitForAgent();
  const secrets = secretsOf(line);
  expect(Object.keys(secrets).length).toBeGreaterThan(20);
  const environment = pids.map((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1')).join('\0');
  const bait = new RegExp(`(?:^|\\0)${CANARY_VARIABLE}=([^\\0]+)`).exec(environment)?.[1] ?? '';
  expect(bait).not.toBe('');
  // The mark around the task in the prompt looks a little like a model key: it ends in "sk-" and a hash.
  const prompt = readFileSync(`/proc/${pids[0]}/root/in/prompt.md`, 'utf8');
  const mark = /task-[0-9a-f]{16}/.exec(prompt)?.[0] ?? '';
  expect(mark).not.toBe('');
  expect(scanSandbox(pids, { secrets, allowed: [bait, mark] })).toEqual([]);
  // The twin: the same scan finds the bait in both of its places, and nothing else.
  expect(scanSandbox(pids, { secrets: { ...secrets, bait } })).toEqual(
    expect.arrayContaining([
      { where: 'environment', what: 'bait' },
      { where: '/home/agent/.docker/config.json', what: 'bait' },
    ]),
  );
  // And the launcher's own files, which are one namespace away, hold several.
  const launcher = line.deployment.processes.find(({ name }) => name === 'worker-launcher');
  expect(readdirSync(launcher?.places.secretsDir ?? '').length).toBeGreaterThanOrEqual(3);
});
