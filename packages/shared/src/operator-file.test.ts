/** Every way in which an operator's file can be unusable names the variable, the path and the mend. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { parseOperatorFile } from './operator-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'operator-file-'));
afterAll(() => rmSync(dir, { recursive: true }));
const schema = z.strictObject({ limits: z.strictObject({ files: z.int().positive() }) });

function parse(content: string | null): unknown {
  const path = join(dir, content === null ? 'none.json' : 'file.json');
  if (content !== null) writeFileSync(path, content);
  return parseOperatorFile({ variable: 'SOME_FILE', path, form: '{}' }, schema);
}

it.each([
  ['a file that is not there', null, /SOME_FILE: cannot read .*none\.json \(ENOENT\); check/],
  ['no JSON', '{', /SOME_FILE: .*file\.json is no JSON \(.+\); write \{\} into it/],
  ['a wrong value', '{"limits":{"files":0}}', /SOME_FILE: .*file\.json:\n {2}limits\.files: /],
  ['another kind of thing', '[]', /SOME_FILE: .*file\.json:\n {2}the file: /],
  ['two things at once', '{"limits":{},"x":1}', /limits\.files: [^]*the file: .*"x"/],
])('refuses %s', (_, content, words) => {
  expect(() => parse(content)).toThrow(expect.objectContaining({ code: 'bad_config' }));
  expect(() => parse(content)).toThrow(words);
});

it('gives the value of a file that is right', () => {
  expect(parse('{"limits":{"files":1}}')).toEqual({ limits: { files: 1 } });
});
