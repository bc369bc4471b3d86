/** Who gets into the console, and whose clicks count. */
import { createPool } from '@sallyport/shared/db/pool';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startConsole, TOKEN, type Console, type Login } from './console-fixture.ts';

let now = Date.now();
let console_: Console;
beforeAll(async () => {
  console_ = await startConsole({ now: () => now });
});
afterAll(() => console_.close());
// A new minute: failures of one test do not count in the next.
beforeEach(() => {
  now += 60_000;
});

const CLOSED_PAGES = [
  '/',
  '/tasks/x',
  '/halt',
  '/processes',
  '/queues/',
  '/timeline.js',
  '/teams',
  '/teams/new',
  '/teams/dev-qa',
  '/teams/dev-qa/file',
  '/team-form.js',
  '/no-such-page',
];
const CLOSED_APIS = [
  '/api/tasks',
  '/api/status',
  '/api/teams/enforcement?cli=claude',
  '/api/no-such',
  '/queues/api/queues',
];

async function activeHalts(): Promise<unknown[]> {
  const { rows } = await console_.deployment.admin.query(
    'select * from halt where lifted_at is null',
  );
  return rows;
}

describe('without a login', () => {
  it.each(CLOSED_PAGES)('leads from the page %s to the login', async (path) => {
    const answer = await console_.ask(path);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(`/login?next=${encodeURIComponent(path)}`);
    expect(answer.body).toBe('');
  });

  it.each(CLOSED_APIS)('refuses a script at %s', async (path) => {
    const answer = await console_.ask(path);
    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ error: { code: 'forbidden' } });
  });

  it.each(['/login', '/health', '/style.css'])('shows %s', async (path) => {
    expect((await console_.ask(path)).status).toBe(200);
  });

  it('refuses to halt, and halts nothing', async () => {
    const answer = await console_.ask('/api/halt', {
      json: { scope: 'all', level: 'stop', reason: 'x' },
    });
    expect(answer.status).toBe(401);
    expect(await activeHalts()).toEqual([]);
  });
});

describe('with the token in the header', () => {
  it('lets the right one in, and a wrong one not', async () => {
    expect((await console_.script('/api/status')).status).toBe(200);
    const wrong = await console_.ask('/api/status', {
      headers: { authorization: `Bearer ${TOKEN}x` },
    });
    expect(wrong.status).toBe(401);
    expect(wrong.headers['www-authenticate']).toBe('Bearer');
  });

  it('tells only whoever has the right one that there is nothing at an address', async () => {
    expect((await console_.script('/no-such-page')).status).toBe(404);
  });

  it('stops taking tokens after ten wrong ones, the right one included, and takes it again after a minute', async () => {
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    const seen = [];
    for (let i = 0; i < 11; i++) seen.push((await console_.ask('/api/status', wrong)).status);
    expect(seen).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await console_.script('/api/status')).status).toBe(429);
    now += 60_000;
    expect((await console_.script('/api/status')).status).toBe(200);
  });
});

describe('the login form', () => {
  const origin = (): Record<string, string> => ({ origin: `http://127.0.0.1:${console_.port}` });

  it('gives for the right token a cookie that scripts and other sites cannot use', async () => {
    const answer = await console_.ask('/login', {
      form: { token: TOKEN, next: '/halt' },
      headers: origin(),
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/halt');
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^sallyport_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  it('gives a cookie for https alone behind https', async () => {
    const answer = await console_.ask('/login', {
      form: { token: TOKEN },
      headers: { ...origin(), 'x-forwarded-proto': 'https' },
    });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; SameSite=Strict; Secure$/);
  });

  it('gives none for a wrong token, and shows no word of it', async () => {
    const answer = await console_.ask('/login', {
      form: { token: 'WRONG-TOKEN' },
      headers: origin(),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body).not.toContain('WRONG-TOKEN');
  });

  it('gives none to a form of another site', async () => {
    const answer = await console_.ask('/login', {
      form: { token: TOKEN },
      headers: { origin: 'https://evil.example' },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('gives none after ten wrong tokens, and one again after a minute', async () => {
    const attempt = (token: string) =>
      console_.ask('/login', { form: { token }, headers: origin() });
    for (let i = 0; i < 10; i++) expect((await attempt('wrong')).status).toBe(401);
    expect((await attempt(TOKEN)).status).toBe(429);
    now += 60_000;
    expect((await attempt(TOKEN)).status).toBe(303);
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example'])(
    'does not lead on to %s',
    async (next) => {
      const answer = await console_.ask('/login', {
        form: { token: TOKEN, next },
        headers: origin(),
      });
      expect(answer.headers.location).toBe('/');
    },
  );
});

describe('a session', () => {
  const halt = { scope: 'all', level: 'drain', reason: 'to look' };
  let login: Login;
  beforeEach(async () => {
    login = await console_.login('ada');
    await console_.deployment.admin.query(
      'update halt set lifted_at = now() where lifted_at is null',
    );
  });

  it('shows pages until it is logged out', async () => {
    expect((await console_.browse(login, '/')).status).toBe(200);
    expect((await console_.browse(login, '/logout', { form: {} })).headers.location).toBe('/login');
    expect((await console_.browse(login, '/')).status).toBe(303);
  });

  it('shows pages until twelve hours are over', async () => {
    now += 12 * 3600 * 1000 - 1;
    expect((await console_.browse(login, '/')).status).toBe(200);
    now += 1;
    expect((await console_.browse(login, '/')).status).toBe(303);
  });

  it('halts by a form of its own, in the name of who logged in', async () => {
    expect((await console_.browse(login, '/halt', { form: halt })).status).toBe(303);
    expect(await activeHalts()).toMatchObject([{ set_by: 'ada (console)', level: 'drain' }]);
  });

  it.each([
    ['without the secret of the form', { form: { ...halt, csrf: '' } }],
    ['with a wrong secret', { form: { ...halt, csrf: 'x'.repeat(43) } }],
    ['from another site', { form: halt, headers: { origin: 'https://evil.example' } }],
    ['from another port of this host', { form: halt, headers: { origin: 'http://127.0.0.1:1' } }],
    ['from a neighbour site', { form: halt, headers: { 'sec-fetch-site': 'same-site' } }],
  ])('halts nothing %s', async (_name, asked) => {
    expect((await console_.browse(login, '/halt', asked)).status).toBe(403);
    expect(await activeHalts()).toEqual([]);
  });

  it('halts nothing with the secret of another login', async () => {
    const other = await console_.login('eve');
    const answer = await console_.browse(login, '/halt', { form: { ...halt, csrf: other.csrf } });
    expect(answer.status).toBe(403);
    expect(await activeHalts()).toEqual([]);
  });

  it('halts nothing at the JSON address either without the secret, and does with it', async () => {
    const origin = `http://127.0.0.1:${console_.port}`;
    const asked = { json: halt, headers: { origin } };
    expect((await console_.browse(login, '/api/halt', asked)).status).toBe(403);
    expect(await activeHalts()).toEqual([]);
    const withSecret = { json: halt, headers: { origin, 'x-csrf-token': login.csrf } };
    expect((await console_.browse(login, '/api/halt', withSecret)).status).toBe(200);
    expect(await activeHalts()).toHaveLength(1);
  });
});

describe('every answer', () => {
  it.each(['/login', '/health', '/', '/api/status', '/no-such-page', '/queues/'])(
    'carries the headers of safety at %s',
    async (path) => {
      const { headers } = await console_.script(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'self'; .*frame-ancestors 'none'/,
      );
      expect(headers['content-security-policy']?.includes('unsafe-inline')).toBe(
        path.startsWith('/queues/'),
      );
    },
  );
});

describe('while the database is down', () => {
  it('says so on every page, stays up, and still shows the login', async () => {
    const nowhere = createPool({
      url: 'postgresql://127.0.0.1:1/x',
      deployment: 'nowhere',
      process: 'console',
    });
    const alone = await startConsole({ db: nowhere });
    try {
      const page = await alone.script('/', { headers: { accept: 'text/html' } });
      expect(page.status).toBe(503);
      expect(page.headers['retry-after']).toBe('10');
      expect((await alone.script('/api/tasks')).json()).toMatchObject({
        error: { code: 'unavailable' },
      });
      expect((await alone.ask('/health')).status).toBe(503);
      expect((await alone.ask('/login')).status).toBe(200);
    } finally {
      await alone.close();
      await nowhere.end();
    }
  });
});
