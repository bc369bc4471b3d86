/** Where the App's key and its tokens may be seen: nowhere. Looked for while a push is under way, and afterwards everywhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importRun } from '../../../services/publisher/src/importer/import-run.ts';
import { advancePublication } from '../../../services/publisher/src/publisher/publish/advance.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addRepository, lookAt, seedCollectedTask } from './collected-task.ts';
import { createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterAll(() => world.close());

it.each(['classic', 'stateless'] as const)(
  'shows a %s token to no process, log line, row or file',
  async (format) => {
    world.github.setTokenFormat(format);
    const first = world.github.tokens().length;
    const one = await seedCollectedTask(world, { repo: await addRepository(world) });
    await advancePublication(world.publisher, one.runId);
    await importRun(world.importer, one.runId);
    world.github.fault({ match: 'git-push', delayMs: 1_200 });
    let isDone = false;
    const sampled = { commands: '', environments: '', gitSeen: false };
    const publishing = advancePublication(world.publisher, one.runId).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      sample(sampled);
      await sleep(60);
    }
    await publishing;
    expect((await lookAt(world, one)).task.state).toBe('published');
    // The sampling itself must have seen the push, or it proves nothing.
    expect(sampled.gitSeen).toBe(true);
    const secrets = [
      ...world.github
        .tokens()
        .slice(first)
        .map((token) => token.value),
      keyBody(world.github.app.privateKey),
    ];
    expect(secrets.length).toBeGreaterThan(6);
    const rows = await everyRow(world);
    for (const secret of secrets) {
      expect(sampled.commands.includes(secret)).toBe(false);
      expect(sampled.environments.includes(secret)).toBe(false);
      expect(world.logged.join('\n').includes(secret)).toBe(false);
      expect(rows.includes(secret)).toBe(false);
      expect(filesBelow(world.directory).some((bytes) => bytes.includes(secret))).toBe(false);
    }
    expect(rows).toContain(one.taskId);
    expect(world.github.liveTokens()).toEqual([]);
  },
);

/** One line from the middle of the key. */
function keyBody(pem: string): string {
  return pem.split('\n')[8] ?? pem;
}

function sample(into: { commands: string; environments: string; gitSeen: boolean }): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      into.commands += command;
      if (command.includes('git') && command.includes('--force-with-lease')) into.gitSeen = true;
      if (command.includes('git') || command.includes('askpass')) {
        into.environments += readFileSync(`/proc/${pid}/environ`, 'utf8');
      }
    } catch {
      // It ended while we looked.
    }
  }
}

async function everyRow({ deployment }: PublisherWorld): Promise<string> {
  const { rows: tables } = await deployment.admin.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = $1`,
    [deployment.id],
  );
  const parts: string[] = [];
  for (const { name } of tables.filter((table) => table.name !== 'artifact_chunk')) {
    const { rows } = await deployment.admin.query<{ row: string }>(
      `select t::text as row from ${name} t`,
    );
    parts.push(...rows.map(({ row }) => row));
  }
  const { rows: chunks } = await deployment.admin.query<{ data: Buffer }>(
    'select data from artifact_chunk',
  );
  return [...parts, ...chunks.map(({ data }) => data.toString('latin1'))].join('\n');
}

function filesBelow(directory: string): Buffer[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}
