/** The pages of the teams: what they say of whom, whose forms they take, and what hostile teams can do in them: nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeNode } from '@sallyport/teams/describe-node';
import { describeEnforcement } from '@sallyport/teams/readonly/describe-enforcement';
import { readTeamFile } from '@sallyport/teams/read-team-file';
import { hashTeam } from '@sallyport/teams/team-hash';
import { TeamShapeSchema, type Team } from '@sallyport/teams/team';
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOperatorTeams } from '../../../services/console/src/teams/operator-teams.ts';
import { startConsole, type Answer, type Console, type Login } from './console-fixture.ts';

const HOSTILE = `</textarea><script>alert("x")</script>'"\u202e`;

function team(name: string, more: object = {}): Team {
  const node = { id: 'judge', agent: { cli: 'house-agent' }, prompt: HOSTILE, readOnly: true };
  return TeamShapeSchema.parse({ v: 1, name, description: HOSTILE, nodes: [node], ...more });
}
const HOUSE = team('house');
const KEPT = team('kept', { readOnlyLevel: 'noShell' });

/** A form of one node that is a team. */
const GOOD = {
  act: 'check',
  name: 'one',
  'nodes.0.id': 'dev',
  'nodes.0.agent.cli': 'claude',
  'nodes.0.prompt': 'Do it.',
};

const dir = mkdtempSync(join(tmpdir(), 'sallyport-teams-'));
let console_: Console;
let login: Login;
beforeAll(async () => {
  const file = join(dir, 'teams.json');
  writeFileSync(file, JSON.stringify({ teams: [HOUSE] }));
  console_ = await startConsole({ operatorTeams: readOperatorTeams(file) });
  login = await console_.login();
  for (const [hash, name, content] of [
    [hashTeam(KEPT), 'kept', KEPT],
    ['f'.repeat(64), HOSTILE, { v: 2, what: HOSTILE }],
  ]) {
    await console_.deployment.admin.query(
      'insert into team_version (hash, name, content) values ($1, $2, $3)',
      [hash, name, JSON.stringify(content)],
    );
  }
});
afterAll(async () => {
  await console_.close();
  rmSync(dir, { recursive: true });
});

function check(form: Record<string, string>): Promise<Answer> {
  return console_.browse(login, '/teams/check', { form: { ...GOOD, ...form } });
}

/** What a browser would show of a page: entities resolved, white space as one space. */
function shown(body: string): string {
  const entities = { lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`', amp: '&' };
  return body
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|#96|amp);/g, (_, name: keyof typeof entities) => entities[name])
    .replace(/\s+/g, ' ');
}

/** The text of the file on the page that followed a check. */
function fileOn(body: string): string {
  const text = /<textarea id="file"[^>]*>\n([^<]*)<\/textarea>/.exec(body)?.[1] ?? '';
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

describe('the list of teams', () => {
  it('says for each team who may not write and what keeps him from it, as the command does', async () => {
    const text = shown((await console_.browse(login, '/teams')).body);
    for (const one of [HOUSE, KEPT, ...TEMPLATES]) {
      for (const node of one.nodes) {
        const { readOnly, sentence } = describeNode(one, node);
        if (readOnly) expect(text).toContain(sentence);
      }
    }
    expect(text).toContain('judge (noShell)');
    expect(text).toContain('A task that names no team gets house');
    expect(text).toContain('It was kept in a form that cannot be read any more.');
  });

  it('says what is wrong with the operator’s file, and shows the other teams all the same', async () => {
    const file = join(dir, 'broken.json');
    writeFileSync(file, JSON.stringify({ teams: [{ ...HOUSE, nodes: [] }] }));
    const broken = await startConsole({ operatorTeams: readOperatorTeams(file) });
    const text = shown((await broken.script('/teams')).body);
    await broken.close();
    expect(text).toContain('the gate does not start with it');
    expect(text).toContain('teams.0: nodes');
    expect(text).toContain('dev-qa-loop');
    writeFileSync(file, '{');
    expect(readOperatorTeams(file).problems[0]).toMatch(/JSON/);
    expect(readOperatorTeams(join(dir, 'none')).problems[0]).toMatch(/ENOENT/);
    expect(readOperatorTeams(undefined)).toMatchObject({ given: false, problems: [] });
  });
});

describe('the page of a team', () => {
  it('finds a team by its name, and one of several by its hash', async () => {
    const named = (await console_.script('/teams/kept')).body;
    expect(shown(named)).toContain('read-only (noShell)');
    expect((await console_.script(`/teams/kept?version=${hashTeam(KEPT)}`)).body).toBe(named);
  });

  it.each([
    ['/teams/none', 404],
    [`/teams/kept?version=${hashTeam(HOUSE)}`, 404],
    ['/teams/kept?version=x', 400],
    ['/teams/new?from=none', 404],
    [`/teams/new?from=${encodeURIComponent(HOSTILE)}`, 409],
    ['/teams/none/file', 404],
  ])('answers %s with %i', async (path, status) => {
    expect((await console_.script(path)).status).toBe(status);
  });

  it('gives the file, of which a reader makes the same team', async () => {
    const { headers, body } = await console_.script('/teams/house/file');
    expect(headers['content-disposition']).toBe('attachment; filename="house.yaml"');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(readTeamFile(body).team).toEqual(HOUSE);
  });
});

describe.each([
  '/teams',
  '/teams/house',
  '/teams/kept',
  `/teams/${encodeURIComponent(HOSTILE)}`,
  '/teams/new?from=house',
])('the page %s', (path) => {
  it('holds no markup of a stranger', async () => {
    const { status, body } = await console_.browse(login, path);
    expect(status).toBe(200);
    expect(body).not.toContain('\u202e');
    expect(body).not.toContain('<script>');
    expect(body.match(/<script/g)?.length ?? 0).toBe(path.startsWith('/teams/new') ? 1 : 0);
    expect(body.match(/<textarea/g)?.length).toBe(body.match(/<\/textarea/g)?.length);
    expect(shown(body)).toContain(`alert("x")`);
  });
});

describe('the form', () => {
  it('gives a valid team back as its file, which is the team, markup and hidden characters too', async () => {
    const { status, body } = await check({
      'nodes.0.prompt': HOSTILE,
      'nodes.0.readOnly': '1',
      'nodes.0.readOnlyLevel': 'noShell',
    });
    expect(status).toBe(200);
    expect(shown(body)).toContain('The team one is valid.');
    expect(body).not.toContain('<script>');
    const downloaded = await check({
      act: 'download_yaml',
      'nodes.0.prompt': HOSTILE,
      'nodes.0.readOnly': '1',
      'nodes.0.readOnlyLevel': 'noShell',
    });
    expect(downloaded.headers['content-disposition']).toBe('attachment; filename="one.yaml"');
    expect(downloaded.body).not.toContain('\u202e');
    expect(readTeamFile(downloaded.body).team?.nodes[0]).toMatchObject({
      prompt: HOSTILE,
      readOnly: true,
      readOnlyLevel: 'noShell',
    });
    const json = await check({ act: 'download_json' });
    expect(readTeamFile(fileOn((await check({})).body)).team).toEqual(
      TeamShapeSchema.parse(json.json()),
    );
  });

  it.each([
    ['a name with capitals', { name: 'One' }, 'name', 'use a-z'],
    ['no id', { 'nodes.0.id': '' }, 'nodes.0.id', 'use a-z'],
    ['an edge to nowhere', { 'edges.0.from': 'dev', 'edges.0.to': 'dew' }, 'edges.0.to', 'did you'],
    [
      'a foreign mode',
      { 'nodes.0.agent.autonomous': 'yolo' },
      'nodes.0.agent.autonomous',
      'no aut',
    ],
  ])('says %s beside its field', async (_what, form, place, words) => {
    const { status, body } = await check(form);
    expect(status).toBe(400);
    const beside = new RegExp(`id="at-${place}-problem"[^]*?${words}`);
    expect(body).toMatch(beside);
    expect(body).toContain(`href="#at-${place}"`);
    expect(body).not.toContain('id="file"');
    const download = await check({ ...form, act: 'download_yaml' });
    expect([download.status, download.headers['content-disposition']]).toEqual([400, undefined]);
  });

  it('names two writers that may meet at the node, and takes them when one may not write', async () => {
    const fork = {
      'nodes.1.id': 'a',
      'nodes.1.agent.cli': 'claude',
      'nodes.1.prompt': 'x',
      'nodes.2.id': 'b',
      'nodes.2.agent.cli': 'claude',
      'nodes.2.prompt': 'x',
      'edges.0.from': 'dev',
      'edges.0.to': 'a',
      'edges.1.from': 'dev',
      'edges.1.to': 'b',
    };
    const refused = await check(fork);
    expect(refused.status).toBe(400);
    expect(shown(refused.body)).toContain('"a" and "b" both write and may run at the same time');
    expect((await check({ ...fork, 'nodes.2.readOnly': '1' })).status).toBe(200);
  });

  it('adds and removes rows and keeps what was typed', async () => {
    const { body } = await check({ act: 'add_node', 'nodes.0.prompt': 'half a tho' });
    expect(body).toContain('name="nodes.1.id"');
    expect(body).toContain('half a tho</textarea>');
    const removed = (await check({ act: 'remove_node.0', 'nodes.1.id': 'next' })).body;
    expect(removed).toContain('value="next"');
    expect(removed).not.toContain('name="nodes.1.id"');
  });

  it.each([
    ['a field that it has not', { 'nodes.0.colour': 'red' }],
    ['a button that it has not', { act: 'save' }],
    ['more nodes than it shows', { 'nodes.60.id': 'a' }],
  ])('refuses %s', async (_what, form) => {
    const { status, body } = await check(form);
    expect(status).toBe(400);
    expect(shown(body)).toContain('the form has no such');
  });

  it('refuses a body that is too large, and takes a large one', async () => {
    const page = await check({ 'nodes.0.prompt': 'x'.repeat(64_000) });
    expect(page.status).toBe(200);
    expect((await check({ 'nodes.0.prompt': 'x'.repeat(64_001) })).status).toBe(400);
    expect((await check({ 'nodes.0.prompt': 'x'.repeat(1024 * 1024) })).status).toBe(413);
  });

  it('takes nothing from another site, from another login, or from a stranger', async () => {
    expect((await check({})).status).toBe(200);
    expect((await check({ csrf: 'x' })).status).toBe(403);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const form = { ...GOOD, csrf: login.csrf };
    expect((await console_.browse(login, '/teams/check', { form, headers: foreign })).status).toBe(
      403,
    );
    expect((await console_.ask('/teams/check', { form })).status).toBe(401);
  });
});

describe('the sentence for scripts', () => {
  it.each([
    ['cli=claude', describeEnforcement('claude', 'reflex')],
    ['cli=claude&level=noShell&version=', describeEnforcement('claude', 'noShell')],
    ['cli=codex&level=reflex&version=9.9.9', describeEnforcement('codex', 'reflex', '9.9.9')],
    ['cli=house-agent&level=noShell', describeEnforcement('house-agent', 'noShell')],
  ])('is for %s the one of the timeline', async (query, enforcement) => {
    const answer = await console_.script(`/api/teams/enforcement?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual(enforcement);
  });

  it.each([
    ['', 'cli'],
    ['cli=', 'cli'],
    [`cli=${encodeURIComponent('<b>')}`, 'cli'],
    ['cli=claude&level=none', 'level'],
    [`cli=claude&version=${'9'.repeat(61)}`, 'version'],
    ['cli=claude&v=1', 'v'],
  ])('is refused for "%s", with the name of what is wrong', async (query, name) => {
    const answer = await console_.script(`/api/teams/enforcement?${query}`);
    expect(answer.status).toBe(400);
    const message: unknown = expect.stringContaining(name);
    expect(answer.json()).toEqual({ error: { code: 'bad_input', message } });
  });
});
