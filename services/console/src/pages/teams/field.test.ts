import type { TeamProblem } from '@sallyport/teams/team-problem';
import { expect, it } from 'vitest';
import { placeInWords, placeProblems, sentenceOf, textArea, textField } from './field.ts';

function problem(...path: (string | number)[]): TeamProblem {
  return { code: 'bad_value', severity: 'error', path, message: '<b>no</b>', hint: 'mend it' };
}

it('puts a problem at its field, else at what is around it, else at the whole', () => {
  const places = new Set(['nodes.0', 'nodes.0.agent.args', 'entry']);
  const placed = placeProblems(
    [
      problem('nodes', 0, 'agent', 'args', 3),
      problem('nodes', 0, 'agent'),
      problem('entry', 1),
      problem('v'),
    ],
    places,
  );
  expect([...placed.keys()]).toEqual(['nodes.0.agent.args', 'nodes.0', 'entry', '']);
});

it('says a problem beside the field, tied to it, as text', () => {
  const problems = placeProblems([problem('name')], new Set(['name']));
  const field = textField({ problems, name: 'name', label: 'Name', value: '"><i>' }).toString();
  expect(field).toContain('value="&quot;&gt;&lt;i&gt;"');
  expect(field).toMatch(/aria-describedby="at-name-problem"\s+aria-invalid="true"/);
  expect(field).toContain('id="at-name-problem"');
  expect(field).toContain('&lt;b&gt;no&lt;/b&gt;; mend it');
  const well = textField({ problems: new Map(), name: 'name', label: 'Name', value: 'x' });
  expect(well.toString()).not.toContain('aria-invalid');
});

it('keeps the first newline of a text, which a browser would drop', () => {
  const field = { problems: new Map(), name: 'p', label: 'P', rows: 2, maxLength: 9 };
  expect(textArea({ ...field, value: '\nx</textarea>' }).toString()).toContain(
    '>\n\nx&lt;/textarea&gt;</textarea',
  );
});

it('names a place and a problem as somebody who sees the form would', () => {
  const places = [['nodes', 0, 'agent', 'cli'], ['edges', 3], ['entry', 0], ['name'], []];
  expect(places.map(placeInWords)).toEqual([
    'Node 1: agent.cli',
    'Edge 4',
    'entry 1',
    'name',
    'The team',
  ]);
  expect(sentenceOf({ ...problem('name'), message: 'name: use letters' })).toBe(
    'use letters; mend it',
  );
});
