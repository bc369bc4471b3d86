import { describe, expect, test } from 'vitest';
import { MAX_LOST_LAUNCHERS, planNext, type PlanInput } from './plan-next.ts';

const node = { id: 'developer', attempts: 2 };
const limits = { steps: 10, wallSeconds: 100 };
type Step = PlanInput['steps'][number];

function step(attempt: number, reason: string | null, seconds = 1): Step {
  const startedAt = new Date(1_000_000);
  return {
    node: 'developer',
    visit: 1,
    attempt,
    state: reason === null ? 'finished' : 'failed',
    exit: { reason, message: 'it broke' },
    startedAt,
    endedAt: new Date(startedAt.getTime() + seconds * 1000),
  };
}

describe('what comes next', () => {
  test('a run without steps starts its node', () => {
    const plan = planNext({ node, limits, steps: [] });
    expect(plan).toEqual({ kind: 'run', visit: 1, attempt: 1, wallSecondsLeft: 100 });
  });

  test('a finished step is never done again', () => {
    const plan = planNext({ node, limits, steps: [step(1, 'timed_out'), step(2, null)] });
    expect(plan).toEqual({ kind: 'finished', visit: 1, attempt: 2 });
  });

  test('a failed attempt is followed by another while there are any, then the run fails with its reason', () => {
    expect(planNext({ node, limits, steps: [step(1, 'timed_out', 30)] })).toEqual({
      kind: 'run',
      visit: 1,
      attempt: 2,
      wallSecondsLeft: 70,
    });
    const plan = planNext({ node, limits, steps: [step(1, 'timed_out'), step(2, 'no_hand_off')] });
    expect(plan).toMatchObject({ kind: 'failed', reason: 'no_hand_off' });
  });

  test.each(['launcher_lost', 'halted', 'launcher_stopping'])(
    '%s does not count against the node',
    (reason) => {
      const steps = [step(1, reason), step(2, reason), step(3, 'timed_out')];
      expect(planNext({ node, limits, steps })).toMatchObject({ kind: 'run', attempt: 4 });
    },
  );

  test('a node that loses every launcher is given up', () => {
    const lost = Array.from({ length: MAX_LOST_LAUNCHERS }, (_, i) => step(i + 1, 'launcher_lost'));
    expect(planNext({ node, limits, steps: lost })).toMatchObject({
      kind: 'failed',
      reason: 'launcher_lost',
    });
    expect(planNext({ node, limits, steps: lost.slice(1) })).toMatchObject({ kind: 'run' });
  });

  test('the ticket bounds steps and time', () => {
    const steps = [step(1, 'timed_out', 99)];
    expect(planNext({ node, limits: { steps: 1, wallSeconds: 500 }, steps })).toMatchObject({
      reason: 'step_limit',
    });
    expect(planNext({ node, limits: { steps: 2, wallSeconds: 99 }, steps })).toMatchObject({
      reason: 'wall_time_limit',
    });
    expect(planNext({ node, limits: { steps: 2, wallSeconds: 101 }, steps })).toMatchObject({
      kind: 'run',
      wallSecondsLeft: 2,
    });
  });
});
