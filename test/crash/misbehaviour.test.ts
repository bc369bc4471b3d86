import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScriptedAction } from '../support/agent/script.ts';
import {
  createLauncherFixture,
  type LauncherFixture,
  type SeedOptions,
} from '../integration/launcher/launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await createLauncherFixture();
  await fixture.launch();
});
afterAll(() => fixture.close());

const DONE: ScriptedAction = { do: 'handOff', outcome: 'done' };

interface Misbehaviour {
  name: string;
  reason: string;
  script: readonly ScriptedAction[];
  options?: SeedOptions;
}

const SHORT: SeedOptions = { claims: (c) => ({ ...c, limits: { ...c.limits, wall_seconds: 3 } }) };

const MISBEHAVIOURS: readonly Misbehaviour[] = [
  { name: 'exits with an error', reason: 'exit_code', script: [DONE, { do: 'exit', code: 3 }] },
  { name: 'kills itself', reason: 'signalled', script: [{ do: 'run', command: 'kill -9 $PPID' }] },
  {
    name: 'does not end',
    reason: 'timed_out',
    script: [{ do: 'ignoreTerm' }, { do: 'sleep', ms: 60_000 }],
    options: SHORT,
  },
  {
    name: 'leaves no hand-off',
    reason: 'hand_off_missing',
    script: [{ do: 'write', path: 'x', content: 'x' }],
  },
  {
    name: 'leaves a hand-off that is no JSON',
    reason: 'hand_off_not_json',
    script: [{ do: 'write', path: '/out/hand-off.json', content: '{' }],
  },
  {
    name: 'leaves a hand-off of another shape',
    reason: 'hand_off_bad_shape',
    script: [{ do: 'write', path: '/out/hand-off.json', content: '{"v":1}' }],
  },
  {
    name: 'leaves a link as its hand-off',
    reason: 'hand_off_not_a_plain_file',
    script: [{ do: 'symlink', path: '/out/hand-off.json', target: '/etc/passwd' }],
  },
  {
    name: 'prints without end',
    reason: 'output_limit',
    script: [{ do: 'printBytes', bytes: 200 * 1024 * 1024 }],
  },
  {
    name: 'leaves a file larger than any that may be taken',
    reason: 'tree_file_too_large',
    script: [{ do: 'run', command: 'head -c 70000000 /dev/zero > big.bin' }, DONE],
  },
];

test.each(MISBEHAVIOURS)(
  'an agent that $name fails with $reason, and the next task is not harmed',
  async ({ reason, script, options }) => {
    const task = await fixture.seed([{ do: 'print', text: 'last words\n' }, ...script], options);
    expect(await fixture.until(task.taskId, 'failed')).toMatchObject({ stateReason: reason });
    const { run, steps, events, queued } = await fixture.look(task);
    expect(run).toMatchObject({ state: 'failed', stateReason: reason, bundleArtifactId: null });
    expect(steps).toMatchObject([{ state: 'failed', exit: { reason } }]);
    expect(steps[0]?.transcriptArtifactId).not.toBeNull();
    expect(events.at(-1)).toMatchObject({ kind: 'task_ended', data: { state: 'failed', reason } });
    expect(queued).toEqual([]);
    await fixture.eventually(
      'nothing is left',
      () => fixture.leftFiles().length === 0 && fixture.countAgents(task) === 0,
    );
    const next = await fixture.seed([{ do: 'write', path: 'x', content: 'x' }, DONE]);
    await fixture.until(next.taskId, 'collected');
  },
);

test('an agent that starts processes without end is ended, and the next task is not harmed', async () => {
  // Bounded, for the sake of the machine: a thousand processes, twice what a step may have.
  const bomb =
    'b() { [ $1 -gt 0 ] && { b $(($1 - 1)) | b $(($1 - 1)) & }; sleep 20; }; b 9; sleep 30';
  const task = await fixture.seed([{ do: 'run', command: bomb }], {
    claims: (c) => ({ ...c, limits: { ...c.limits, wall_seconds: 8 } }),
  });
  const { stateReason } = await fixture.until(task.taskId, 'failed', 50);
  // An ordinary user meets the kernel's own limit, is held there, and runs out of time.
  expect(['process_limit', 'timed_out']).toContain(stateReason);
  await fixture.eventually(
    'nothing is left',
    () => fixture.leftFiles().length === 0 && fixture.countAgents(task) === 0,
  );
  const next = await fixture.seed([{ do: 'write', path: 'x', content: 'x' }, DONE]);
  await fixture.until(next.taskId, 'collected');
});

test('work that was written before the end of time is kept with the failed step', async () => {
  const task = await fixture.seed(
    [
      { do: 'write', path: 'half.txt', content: 'half' },
      { do: 'sleep', ms: 60_000 },
    ],
    SHORT,
  );
  await fixture.until(task.taskId, 'failed');
  const { steps, events } = await fixture.look(task);
  expect(steps[0]?.packArtifactId).not.toBeNull();
  expect(events.find((e) => e.kind === 'tree_compared')?.data).toMatchObject({
    result: 'discarded',
    changeCount: 1,
  });
});

test('a node with two attempts gets its second', async () => {
  const task = await fixture.seed(
    [
      { do: 'run', command: `grep -q '"attempt": 2' /in/task.json` },
      { do: 'write', path: 'x', content: 'x' },
      DONE,
    ],
    {
      node: { attempts: 2 },
    },
  );
  await fixture.until(task.taskId, 'collected');
  const { steps } = await fixture.look(task);
  expect(steps.map((step) => [step.attempt, step.state])).toEqual([
    [1, 'failed'],
    [2, 'finished'],
  ]);
});

test('what an agent leaves on disk is removed whatever it looks like', async () => {
  const deep =
    'i=0; while [ $i -lt 60 ]; do d=$(printf "%0200d" $i); mkdir $d && cd $d || exit 1; i=$((i+1)); done';
  const task = await fixture.seed([
    {
      do: 'run',
      command: 'mkdir -p closed/inner && touch closed/inner/x && chmod 000 closed/inner closed',
    },
    {
      do: 'run',
      command: 'mkfifo pipe; ln -s / root; ln -s . loop; touch "$(printf "bad\\377name")"',
    },
    { do: 'run', command: `mkdir deep && cd deep && ${deep}`, as: 'deep' },
    { do: 'run', command: 'rm -rf deep', as: 'removed' },
    { do: 'run', command: `mkdir /out/deep && cd /out/deep && ${deep}`, as: 'out' },
    { do: 'run', command: 'chmod 555 /out', as: 'closed' },
    DONE,
  ]);
  // Whether such a tree can be taken is another question.
  const ENDS: readonly string[] = ['failed', 'collected'];
  await fixture.eventually('the task ends', async () =>
    ENDS.includes((await fixture.look(task)).task.state),
  );
  await fixture.eventually('nothing is left', () => fixture.leftFiles().length === 0);
  const { steps } = await fixture.look(task);
  expect(steps).toHaveLength(1);
});
