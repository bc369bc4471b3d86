import { describe, expect, it } from 'vitest';
import { commitMessage, pullBody, pullTitle, type PullFacts } from './pull-text.ts';

const facts: PullFacts = {
  taskId: '0198a0c0-0000-7000-8000-000000000001',
  requester: 'dev-ada',
  issueNumber: 12,
  issueTitle: 'It is broken',
  closesIssue: true,
  team: 'starter',
  base: { ref: 'main', sha: 'a'.repeat(40) },
  notes: [],
  protectionNotes: [],
  steps: [
    {
      node: 'developer',
      visit: 1,
      attempt: 1,
      readOnly: false,
      durationMs: 1_234,
      outcome: 'done',
      wrote: true,
    },
  ],
  summary: 'Mended it.',
};

describe('the pull request', () => {
  it('says who asked, from where, what was checked, and quotes what agents say', () => {
    const body = pullBody(facts);
    expect(body.split('\n')[0]).toBe(`<!-- sallyport task=${facts.taskId} -->`);
    expect(body).toContain('@dev-ada');
    expect(body).toContain('Fixes #12');
    expect(body).toContain('| `developer` | 1.1 | no | 1.2 s | `done` | changed |');
    expect(body).toContain('> Mended it.');
    expect(body).not.toContain('Worth a look');
  });

  it('says of a read-only step that wrote that this was discarded', () => {
    const [step] = facts.steps;
    if (step === undefined) throw new Error('there is no step');
    const reader = { ...step, node: 'qa', readOnly: true };
    const body = pullBody({ ...facts, steps: [reader, { ...reader, wrote: false }] });
    expect(body).toContain('| `qa` | 1.1 | yes | 1.2 s | `done` | written to, discarded |');
    expect(body).toContain('| `qa` | 1.1 | yes | 1.2 s | `done` | unchanged |');
  });

  it('refers to the issue without closing it when the work does not settle it', () => {
    const body = pullBody({ ...facts, closesIssue: false, summary: 'This fixes #12.' });
    expect(body).toContain('Refs #12');
    expect(body).not.toMatch(/fixes #12/i);
  });

  it('lists notes up to a bound', () => {
    const body = pullBody({
      ...facts,
      notes: Array.from({ length: 25 }, (_, n) => `Note ${n}.`),
      protectionNotes: ['Weak.'],
    });
    expect(body).toContain('- Note 19.');
    expect(body).not.toContain('- Note 20.');
    expect(body).toContain('- and 6 more');
  });

  it('lets no name break out of its cell or its code', () => {
    const node = 'x` | @zzz |\n# y <b>';
    const body = pullBody({
      ...facts,
      team: node,
      steps: [{ ...facts.steps[0], node, outcome: node } as PullFacts['steps'][number]],
    });
    expect(body).not.toMatch(/@zzz|<b>|^# y/m);
    expect(
      body
        .split('\n')
        .filter((line) => line.includes('zzz'))
        .every((line) => line.startsWith('| ')),
    ).toBe(true);
  });

  it('stays below the limit of GitHub, whatever agents write', () => {
    expect(
      pullBody({ ...facts, summary: '```\n'.repeat(50_000), notes: ['n'.repeat(5_000)] }).length,
    ).toBeLessThanOrEqual(60_000);
  });

  it('has a title of one clean line that names the issue', () => {
    expect(pullTitle(facts)).toBe('It is broken (#12)');
    expect(pullTitle({ issueNumber: 12, issueTitle: '\u202e\n' })).toBe('Change for issue #12');
    const long = pullTitle({ issueNumber: 12, issueTitle: `Closes #3 @x ${'long '.repeat(100)}` });
    expect(long.length).toBeLessThanOrEqual(200);
    expect(long).not.toMatch(/Closes #3|(^|[^`])@x/);
  });
});

describe('the commit message', () => {
  it('closes nothing and carries our own trailer alone', () => {
    const message = commitMessage({ ...facts, team: 'x\nCo-authored-by: m <m@x>' });
    expect(message).not.toMatch(/#|fixes/i);
    expect(message.match(/^[\w-]+: /gm)).toEqual(['Sallyport-Task: ']);
  });
});
