/** The halt by form and by API: what is in the row afterwards, and what is refused. */
import { newId } from '@sallyport/shared/ids';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { seedTask } from '../../support/deployment/seed-task.ts';
import { startConsole, type Console, type Login } from './console-fixture.ts';

let console_: Console;
let login: Login;
beforeAll(async () => {
  console_ = await startConsole();
  await seedTask(console_.deployment, { owner: 'octo', name: 'repo', repositoryId: 22 });
  login = await console_.login('ada');
});
afterAll(() => console_.close());
beforeEach(async () => {
  await console_.deployment.admin.query('delete from halt');
  await console_.deployment.admin.query('delete from presence');
});

interface HaltRow {
  scope: string;
  level: string;
  reason: string;
  set_by: string;
  lifted_by: string | null;
}

async function rows(): Promise<HaltRow[]> {
  const found = await console_.deployment.admin.query<HaltRow>(
    'select scope, level, reason, set_by, lifted_by from halt order by id',
  );
  return found.rows;
}

it('is set and lifted by the forms, with who and why', async () => {
  const set = await console_.browse(login, '/halt', {
    form: { scope: 'all', repo: '', level: 'stop', reason: ' burning ' },
  });
  expect([set.status, set.headers.location]).toEqual([303, '/halt']);
  expect(await rows()).toEqual([
    { scope: 'all', level: 'stop', reason: 'burning', set_by: 'ada (console)', lifted_by: null },
  ]);
  const page = await console_.browse(login, '/');
  expect(page.body).toContain('Everything (stop): burning.');

  const lifted = await console_.browse(login, '/resume', { form: { scope: 'all' } });
  expect(lifted.status).toBe(303);
  expect(await rows()).toMatchObject([{ lifted_by: 'ada (console)' }]);
  expect((await console_.browse(login, '/halt')).body).toContain('Nothing is halted.');
});

it('is set for one repository by its name, and lifted for it alone', async () => {
  await console_.browse(login, '/halt', {
    form: { scope: 'repo', repo: 'Octo/Repo', level: 'drain', reason: 'one' },
  });
  await console_.script('/api/halt', { json: { scope: 'all', level: 'drain', reason: 'all' } });
  expect((await console_.script('/api/resume', { json: { repo: 'octo/repo' } })).status).toBe(200);
  expect(await rows()).toMatchObject([
    { scope: 'repo:22', lifted_by: 'token holder (console)' },
    { scope: 'all', set_by: 'token holder (console)', lifted_by: null },
  ]);
});

it('names over the API who has acted upon it and who has not', async () => {
  const { admin } = console_.deployment;
  await admin.query(
    'insert into presence (instance, process, host, halt_version) values ($1, $2, $3, $4), ($5, $6, $7, $8)',
    [newId(), 'gate', 'here', 9_000_000, newId(), 'publisher', 'there', 0],
  );
  const answer = await console_.script('/api/halt', {
    json: { scope: 'all', level: 'drain', reason: 'x' },
  });
  expect(answer.json()).toMatchObject({
    scope: 'all',
    acknowledged: ['gate@here'],
    waitingFor: ['publisher@there'],
    halts: [{ scope: 'all', level: 'drain', reason: 'x', by: 'token holder (console)' }],
  });
  expect((await console_.script('/halt')).body).toContain('Not yet by: publisher@there.');
  expect((await console_.script('/api/status')).json()).toMatchObject({
    deployment: console_.deployment.id,
    waitingFor: ['publisher@there'],
    processes: [{ process: 'gate' }, { process: 'publisher' }],
  });
});

const good = { scope: 'all', level: 'drain', reason: 'x' };
it.each([
  ['no reason', { ...good, reason: ' ' }, 400],
  ['a reason without end', { ...good, reason: 'x'.repeat(1001) }, 400],
  ['a reason with NUL', { ...good, reason: 'a\0b' }, 400],
  ['a repository with NUL', { level: 'drain', reason: 'x', repo: 'a\0/b' }, 400],
  ['no level', { scope: 'all', reason: 'x' }, 400],
  ['an unknown level', { ...good, level: 'pause' }, 400],
  ['no scope', { level: 'drain', reason: 'x' }, 400],
  ['an impossible scope', { ...good, scope: 'repo:x' }, 400],
  ['everything and a repository at once', { ...good, repo: 'octo/repo' }, 400],
  ['a repository that is not known', { ...good, scope: 'repo', repo: 'octo/other' }, 404],
  ['a field that is not known', { ...good, force: true }, 400],
])('is not set over the API with %s', async (_name, json, status) => {
  expect((await console_.script('/api/halt', { json })).status).toBe(status);
  expect(await rows()).toEqual([]);
});

it('is set with the same and nothing wrong, for a repository by number too', async () => {
  const json = { scope: 'repo:77', level: 'drain', reason: 'x' };
  expect((await console_.script('/api/halt', { json })).status).toBe(200);
  expect(await rows()).toMatchObject([{ scope: 'repo:77' }]);
});

it('is set in the name of an operator whose name cannot be stored as he gave it', async () => {
  const odd = await console_.login('a\0b');
  await console_.browse(odd, '/halt', { form: { ...good, repo: '' } });
  expect(await rows()).toMatchObject([{ set_by: 'a⟨U+0000⟩b (console)' }]);
});

it('tells on the form what was wrong with it', async () => {
  const answer = await console_.browse(login, '/halt', {
    form: { scope: 'repo', repo: '<b>', level: 'drain', reason: 'x' },
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toContain('repository &lt;b&gt;: give OWNER/NAME or the numeric id');
  expect(answer.body).toContain('<form method="post" action="/halt"');
});

it('is not lifted where there is none, and a body that is no JSON or too long sets none', async () => {
  expect((await console_.script('/api/resume', { json: { scope: 'all' } })).status).toBe(404);
  const big = await console_.script('/api/halt', { json: { ...good, reason: 'x'.repeat(20_000) } });
  expect(big.status).toBe(413);
  const broken = await console_.script('/api/halt', {
    form: {},
    headers: { 'content-type': 'application/json' },
  });
  expect(broken.status).toBe(400);
  expect(await rows()).toEqual([]);
});
