import { describe, expect, test } from 'vitest';
import { requireSamePolicy } from './effective-policy.ts';
import { afterWriteAttempt, planStep, type StepPlanInput } from './plan-step.ts';

const INPUT: StepPlanInput = {
  team: { readOnly: false },
  node: { id: 'qa', readOnly: true, agent: { cli: 'claude', args: ['--verbose'] } },
  taskReadOnly: false,
  agent: { argv: ['/opt/claude', '-p'], env: { PATH: '/bin' }, version: '2.1.332' },
  mounts: [{ role: 'tree', target: '/work', access: 'throw_away' }],
};
const WRITER: StepPlanInput = { ...INPUT, node: { ...INPUT.node, readOnly: false } };

describe('the plan of a step', () => {
  test('that is read-only restricts, tells the agent, and says who enforces it', () => {
    const plan = planStep(INPUT);
    expect(plan.argv.slice(0, 6)).toEqual([
      '/opt/claude',
      '-p',
      '--verbose',
      '--setting-sources',
      'user',
      '--strict-mcp-config',
    ]);
    expect(plan).toMatchObject({
      restriction: { level: 'reflex', by: ['node'] },
      enforcedBy: 'cli_refusal',
      verified: true,
      handOff: 'file',
      onWriteAttempt: 'note',
      env: { PATH: '/bin' },
    });
    expect(plan.promptSuffix).toMatch(
      /^This step is read-only: .*refusal is this rule at work.*finding with file, line and reason/,
    );
    expect(plan.sentence).toBe(
      'Claude Code refuses its edit tools and the listed commands (seen in version 2.1.332); what is left is stopped by the mount, and a write is reported.',
    );
  });

  test('that may write is hardened, and nothing is said', () => {
    expect(planStep(WRITER)).toMatchObject({
      restriction: null,
      argv: ['/opt/claude', '-p', '--verbose', '--setting-sources', 'user', '--strict-mcp-config'],
      promptSuffix: '',
      enforcedBy: 'not_read_only',
      leavesOpen: [],
      handOff: 'file',
    });
  });

  test.each<[string, Partial<StepPlanInput>, string]>([
    ['task', { taskReadOnly: true }, 'task'],
    ['team', { team: { readOnly: true } }, 'team'],
    [
      'agent of the team',
      { node: { ...WRITER.node, agent: { cli: 'claude', readOnly: true } } },
      'agent',
    ],
    ['agent of the host', { agent: { ...INPUT.agent, readOnly: true } }, 'agent'],
  ])('is read-only when the %s says so, whatever the node says', (_, over, by) => {
    expect(planStep({ ...WRITER, ...over }).restriction).toEqual({ level: 'reflex', by: [by] });
  });

  test.each([['2.1.333'], [undefined]])(
    'on version %s says that nobody has seen it hold',
    (version) => {
      const plan = planStep({ ...INPUT, agent: { ...INPUT.agent, version } });
      expect(plan.verified).toBe(false);
      expect(plan.sentence).toContain('count on the mount');
      expect(plan.promptSuffix).toContain('not every tool that could do so may be refused here');
      expect(plan.argv).toEqual(planStep(INPUT).argv);
    },
  );

  test('on a version whose self-test passed is verified, at that level', () => {
    const agent = { ...INPUT.agent, version: '3.0.0' };
    const selfTests = [{ cli: 'claude', version: '3.0.0', level: 'reflex' as const }];
    expect(planStep({ ...INPUT, agent, selfTests }).verified).toBe(true);
    const node = { ...INPUT.node, readOnlyLevel: 'noShell' as const };
    expect(planStep({ ...INPUT, node, agent, selfTests }).verified).toBe(false);
  });

  test('of a CLI without an adapter rests on the written rule, and its arguments stay', () => {
    const node = { ...INPUT.node, agent: { cli: 'scripted', args: ['--yolo'] } };
    expect(planStep({ ...INPUT, node })).toMatchObject({
      argv: ['/opt/claude', '-p', '--yolo'],
      enforcedBy: 'written_rule',
      verified: false,
      handOff: 'file',
      sentence: expect.stringContaining('scripted has no adapter'),
    });
  });

  test('takes variables away that would trust the repository, and gives files where they are named', () => {
    const gemini = planStep({
      ...INPUT,
      node: { ...INPUT.node, agent: { cli: 'gemini' } },
      agent: { argv: ['gemini'], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', A: '1' } },
    });
    expect(gemini.env).toEqual({ A: '1' });
    expect(gemini.files.map((file) => file.path)).toEqual(['/in/read-only/gemini-read-only.toml']);
    expect(gemini.argv).toContain('/in/read-only/gemini-read-only.toml');
  });

  test('of an agent that cannot write a file asks for the hand-off in its last words', () => {
    const codex = planStep({
      ...INPUT,
      node: { ...INPUT.node, agent: { cli: 'codex' } },
      agent: { argv: ['codex', 'exec', '-'], env: {} },
    });
    expect(codex.handOff).toBe('last_message');
    expect(codex.promptSuffix).toContain('end your last message with the hand-off');
    expect(codex.sentence).toContain('stops tests, linters and builds from writing caches');
  });
});

describe('the policy of a step', () => {
  const hash = planStep(INPUT).policyHash;

  test('is the same for the same step, and for mounts in another order', () => {
    expect(planStep(structuredClone(INPUT)).policyHash).toBe(hash);
    const more = [...INPUT.mounts, { role: 'in', target: '/in', access: 'read_only' }];
    expect(planStep({ ...INPUT, mounts: more }).policyHash).toBe(
      planStep({ ...INPUT, mounts: more.toReversed() }).policyHash,
    );
  });

  test.each<[string, Partial<StepPlanInput>]>([
    ['a step that may write', { node: WRITER.node }],
    ['another level', { node: { ...INPUT.node, readOnlyLevel: 'noShell' } }],
    ['another argument', { node: { ...INPUT.node, agent: { cli: 'claude' } } }],
    ['another variable', { agent: { ...INPUT.agent, env: { PATH: '/bin', A: '1' } } }],
    ['another prompt', { agent: { ...INPUT.agent, version: '9' } }],
    [
      'a tree that can be written to',
      { mounts: [{ role: 'tree', target: '/work', access: 'read_write' }] },
    ],
    ['another network', { further: { network: 'relay' } }],
  ])('is another with %s, and coming back under it is refused', (_, over) => {
    const other = planStep({ ...INPUT, ...over }).policyHash;
    expect(other).not.toBe(hash);
    expect(() => requireSamePolicy('qa', [hash], other)).toThrow(
      expect.objectContaining({ code: 'forbidden', message: expect.stringContaining('node qa') }),
    );
    expect(() => requireSamePolicy('qa', [hash, hash], hash)).not.toThrow();
    expect(() => requireSamePolicy('qa', [], other)).not.toThrow();
  });
});

test.each([
  ['note', true, 1, 'go_on'],
  ['rerun', false, 1, 'go_on'],
  ['rerun', true, 1, 'rerun'],
  ['rerun', true, 0, 'fail'],
  ['fail', true, 1, 'fail'],
  ['fail', false, 0, 'go_on'],
] as const)(
  'with %s, a write attempted: %s, and %i attempts left: %s',
  (action, attempted, left, follows) => {
    expect(afterWriteAttempt(action, attempted, left)).toBe(follows);
  },
);
