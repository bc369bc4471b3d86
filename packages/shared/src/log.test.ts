import { describe, expect, it } from 'vitest';
import { createLogger } from './log.ts';

function logged(error: unknown): string {
  const lines: string[] = [];
  createLogger('test', 'info', { write: (line) => void lines.push(line) }).warn(
    { err: error },
    'failed',
  );
  return lines.join('');
}

function refusal(): Error {
  return Object.assign(new Error('WRONGPASS invalid'), {
    command: { name: 'hello', args: ['3', 'AUTH', 'default', 'hunter2'] },
  });
}

describe('an error of Redis', () => {
  it.each([
    ['by itself', refusal()],
    ['among others', new AggregateError([refusal()], 'several')],
    ['as part of another', Object.assign(new Error('several'), { previousErrors: [refusal()] })],
  ])('is logged %s with its message and the name of the command, not its arguments', (_, error) => {
    const line = logged(error);
    expect(line).toContain('WRONGPASS');
    expect(line).toContain('hello');
    expect(line).not.toContain('hunter2');
  });

  it('does not keep other fields of errors out of the log', () => {
    expect(logged(Object.assign(new Error('x'), { code: 'ECONNREFUSED', port: 6379 }))).toContain(
      '"code":"ECONNREFUSED","port":6379',
    );
  });
});
