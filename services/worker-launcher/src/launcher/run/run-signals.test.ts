import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COLLECT_GRACE_MS, createRunSignals } from './run-signals.ts';
import { RunStopped } from './run-stop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stopOf(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof RunStopped ? error.stop : error;
  }
}

test.each(['halted', 'cancelled', 'launcher_stopping'] as const)(
  '%s ends the agent at once and collectors after a moment',
  (why) => {
    const signals = createRunSignals();
    signals.interrupt(why);
    expect([signals.agent.aborted, signals.wait.aborted, signals.collect.aborted]).toEqual([
      true,
      true,
      false,
    ]);
    vi.advanceTimersByTime(COLLECT_GRACE_MS);
    expect(signals.collect.aborted).toBe(true);
  },
);

test('a lost lease ends everything at once and overrules what came before', () => {
  const signals = createRunSignals();
  signals.interrupt('halted');
  signals.interrupt('lease_lost');
  expect([signals.agent.aborted, signals.collect.aborted]).toEqual([true, true]);
  expect(stopOf(() => signals.throwIfInterrupted())).toEqual({ kind: 'lease_lost' });
  signals.dispose();
});

test('the first interruption is the one that counts', () => {
  const signals = createRunSignals();
  signals.interrupt('cancelled');
  signals.interrupt('halted');
  expect(stopOf(() => signals.throwIfInterrupted())).toEqual({ kind: 'cancelled' });
  signals.dispose();
});

test('winding down starts nothing new and ends nothing', () => {
  const signals = createRunSignals();
  expect(stopOf(() => signals.throwIfNothingMayStart())).toBeUndefined();
  signals.windDown();
  expect(signals.agent.aborted).toBe(false);
  expect(stopOf(() => signals.throwIfInterrupted())).toBeUndefined();
  expect(stopOf(() => signals.throwIfNothingMayStart())).toMatchObject({
    kind: 'suspended',
    reason: 'launcher_stopping',
  });
});
