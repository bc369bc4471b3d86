import { describe, expect, it } from 'vitest';
import { parseReadyLine } from './child-service.ts';

describe('parseReadyLine', () => {
  it('knows the line that says ready, and its other fields', () => {
    expect(parseReadyLine('{"level":30,"port":8080,"msg":"ready"}')).toEqual({
      level: 30,
      port: 8080,
      msg: 'ready',
    });
  });

  it.each([
    '{"level":30,"msg":"starting"}',
    '{"level":30,"msg":"not \\"ready\\" yet"}',
    '{"level":30,"state":"ready","msg":"state"}',
    'ready',
    '{"msg":"ready"',
  ])('does not take %s for it', (line) => {
    expect(parseReadyLine(line)).toBeUndefined();
  });
});
