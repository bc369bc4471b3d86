import { TeamShapeSchema } from '@sallyport/teams/team';
import { ADAPTERS } from '@sallyport/teams/readonly/adapters';
import { describeNode } from '@sallyport/teams/describe-node';
import { READ_ONLY_LEVELS } from '@sallyport/teams/restriction-words';
import { expect, it } from 'vitest';
import { enforcementOf, UNNAMED_SENTENCE } from './draft-enforcement.ts';
import { EMPTY_NODE, EMPTY_TEAM } from './team-draft.ts';

const READER = { ...EMPTY_NODE, readOnly: true };

it.each(
  [...ADAPTERS.map((adapter) => adapter.cli), 'my-agent'].flatMap((cli) =>
    READ_ONLY_LEVELS.map((level) => [cli, level] as const),
  ),
)('says of %s at %s what `team show` says', (cli, level) => {
  const node = { id: 'a', agent: { cli }, prompt: 'x', readOnly: true, readOnlyLevel: level };
  const team = TeamShapeSchema.parse({ v: 1, name: 't', nodes: [node] });
  const [parsed] = team.nodes;
  if (parsed === undefined) throw new Error('the team has no node');
  const { sentence, leavesOpen } = describeNode(team, parsed);
  const draft = { ...READER, cli, readOnlyLevel: level };
  expect(enforcementOf(EMPTY_TEAM, draft)).toMatchObject({ sentence, leavesOpen });
});

it('says that a version which nobody tried is not verified', () => {
  const said = enforcementOf(EMPTY_TEAM, { ...READER, version: '99.0.0' }).sentence;
  expect(said).toContain('version 99.0.0 has not been verified');
  expect(enforcementOf(EMPTY_TEAM, READER).sentence).not.toContain('not been verified');
});

it('takes a restriction of the team and of the agent for one of the node, and the stricter level', () => {
  const open = enforcementOf(EMPTY_TEAM, EMPTY_NODE).sentence;
  expect(open).toContain('may write');
  const reader = enforcementOf(EMPTY_TEAM, READER);
  expect(enforcementOf({ ...EMPTY_TEAM, readOnly: true }, EMPTY_NODE)).toEqual(reader);
  expect(enforcementOf(EMPTY_TEAM, { ...EMPTY_NODE, agentReadOnly: true })).toEqual(reader);
  const strict = enforcementOf(EMPTY_TEAM, { ...READER, readOnlyLevel: 'noShell' });
  expect(strict).not.toEqual(reader);
  expect(enforcementOf({ ...EMPTY_TEAM, readOnlyLevel: 'noShell' }, READER)).toEqual(strict);
});

it('claims nothing for a CLI without a name', () => {
  expect(enforcementOf(EMPTY_TEAM, { ...READER, cli: '' }).sentence).toBe(UNNAMED_SENTENCE);
});
