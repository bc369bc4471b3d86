/** The halt as lines for a person. */
import type { HaltStatus } from '@sallyport/shared/db/views/halt-status';

export function describeHalts(status: HaltStatus): string {
  const lines = status.halts.map(
    (halt) =>
      `${halt.scope === 'all' ? 'everything' : halt.scope}: ${halt.level}, "${halt.reason}" (${halt.by}, since ${halt.since.toISOString()})`,
  );
  return [
    lines.length === 0 ? 'not halted' : `HALTED\n  ${lines.join('\n  ')}`,
    `acknowledged by: ${status.acknowledged.join(', ') || 'nobody (nothing runs)'}`,
    ...(status.waitingFor.length > 0
      ? [`NOT acknowledged by: ${status.waitingFor.join(', ')}`]
      : []),
  ].join('\n');
}
