/**
 * Many tasks at once on a launcher that is killed again and again: each of them comes to its end once, and the machine is
 * afterwards as it was. The same for every driver; what a driver can leave behind, its rig knows how to look for.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Launcher, LauncherFixture, ScriptedTask } from './launcher-fixture.ts';

const KILLS = 3;
const MAX_RUNS = '8';
/** One that finds containers of the one before ends them first. */
const LAUNCH_SECONDS = 120;
/** Needs no mount, so that it runs in whatever image a driver has; what a node adds to its arguments is not read. */
const AGENT = `
sleep 0.5
echo made > made.txt
echo '{"v":1,"outcome":"done","summary":"","findings":[],"claims":{}}' > /out/hand-off.json`;

export interface ManyTasksRig {
  fixture: LauncherFixture;
  /** What a launcher is started with, so that it uses the driver. */
  env: Readonly<Record<string, string>>;
  /** The directories of runs that are there. */
  directories(): readonly string[];
  /** Called while sandboxes are at work, to remember what belongs to them. */
  look(): void;
  /** A line for each thing that is left of this test. */
  findLeft(): Promise<string[]> | string[];
}

/** Runs `count` tasks to their end, with three launchers killed on the way; `seconds` bounds each wait. */
export async function runManyTasks(
  rig: ManyTasksRig,
  { count, seconds }: { count: number; seconds: number },
): Promise<void> {
  const { fixture } = rig;
  const agents = join(fixture.directory, 'agents.json');
  writeFileSync(agents, JSON.stringify({ shell: { argv: ['/bin/sh', '-c', AGENT, 'agent'] } }));
  const env = { ...rig.env, AGENTS_FILE: agents, MAX_RUNS };
  const tasks: ScriptedTask[] = [];
  for (let i = 0; i < count; i += 1) tasks.push(await fixture.seed([], { cli: 'shell' }));

  let launcher = await fixture.launch(env, LAUNCH_SECONDS);
  const cutOff = new Set<string>();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const ended = Math.floor((count * kill) / (KILLS + 1)) - 1;
    let atWork: string[] = [];
    await fixture.eventually(
      `${ended} tasks have ended and others are at work`,
      async () => {
        // Steps of the launchers before stand there as begun, until their run is taken up again.
        atWork = (await listAtWork(rig)).filter((step) => !cutOff.has(step));
        return atWork.length > 1 && (await countCollected(rig)) >= ended;
      },
      seconds,
    );
    rig.look();
    await launcher.kill();
    for (const step of atWork) cutOff.add(step);
    launcher = await fixture.launch(env, LAUNCH_SECONDS);
  }
  await fixture.eventually(
    'every task has ended',
    async () => {
      rig.look();
      return (await countCollected(rig)) === count;
    },
    seconds,
  );
  const lost = await endedOnce(rig, tasks);
  // Otherwise nothing was cut off, and the test has shown nothing.
  expect(lost).toBeGreaterThanOrEqual(KILLS);
  await nothingIsLeft(rig, launcher);
}

/** How many attempts were lost with their launchers. */
async function endedOnce(
  { fixture }: ManyTasksRig,
  tasks: readonly ScriptedTask[],
): Promise<number> {
  const { admin } = fixture.deployment;
  let lost = 0;
  for (const task of tasks) {
    const look = await fixture.look(task);
    const { task: row, run, steps, events, kinds, queued } = look;
    expect([row.state, run.state]).toEqual(['collected', 'collected']);
    const begun = events.filter(({ kind, data }) => kind === 'run_started' && !data['resumed']);
    expect(begun).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'bundle_collected')).toHaveLength(1);
    expect(queued).toEqual([{ v: 1, runId: task.runId }]);
    const exits = steps.map(({ state, exit }) => [state, (exit as { reason: unknown }).reason]);
    expect(exits.at(-1)).toEqual(['finished', null]);
    for (const exit of exits.slice(0, -1)) expect(exit).toEqual(['failed', 'launcher_lost']);
    lost += exits.length - 1;
    expect(fixture.source.applyBundle(await look.bundle(), task.branch)).toMatchObject({
      head: run.headOid,
      files: { 'made.txt': 'made\n' },
    });
  }
  const count = async (table: string, where = 'true'): Promise<number> => {
    const { rows } = await admin.query<{ n: string }>(
      `select count(*) n from ${table} where ${where}`,
    );
    return Number(rows[0]?.n);
  };
  expect(await count('run')).toBe(tasks.length);
  expect(await count('artifact', `kind = 'bundle'`)).toBe(tasks.length);
  return lost;
}

async function nothingIsLeft(rig: ManyTasksRig, launcher: Launcher): Promise<void> {
  const { fixture } = rig;
  let left: string[] = [];
  const isClean = async (): Promise<boolean> => {
    left = [...rig.directories(), ...(await rig.findLeft())];
    return left.length === 0;
  };
  // What dead launchers left on disk goes with the living one's next sweeps.
  await fixture.eventually('the directories are gone', () => rig.directories().length === 0, 60);
  expect(await launcher.stop()).toEqual({ code: 0, signal: null });
  await fixture.eventually('nothing is left', isClean, 15).catch(() => undefined);
  expect(left).toEqual([]);
  const temporary = readdirSync(fixture.directory).filter((name) => name.startsWith('sandboxes-'));
  expect(temporary).toEqual([]);
}

async function countCollected({ fixture }: ManyTasksRig): Promise<number> {
  const text = `select count(*) n from task where state = 'collected'`;
  const { rows } = await fixture.deployment.admin.query<{ n: string }>(text);
  return Number(rows[0]?.n);
}

async function listAtWork({ fixture }: ManyTasksRig): Promise<string[]> {
  const text = `select id from step where state = 'started'`;
  const { rows } = await fixture.deployment.admin.query<{ id: string }>(text);
  return rows.map((row: { id: string }) => row.id);
}
