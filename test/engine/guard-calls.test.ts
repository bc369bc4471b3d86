/** The calls around a container: which there are, whose containers they reach, and what becomes of everything else. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attach } from '../support/engine/attach.ts';
import { STEP, useGuard } from './guard-fixture.ts';

const use = useGuard();
/** Made at the engine by somebody else; nothing but a mark keeps the guard from it. */
let foreign = '';
beforeAll(async () => {
  foreign = await createForeign({});
});
afterAll(() => use.engine('DELETE', `/containers/${foreign}?force=1`));

async function createForeign(labels: Record<string, string>): Promise<string> {
  const body = {
    Image: use.image,
    Cmd: ['/bin/sleep', '60'],
    Labels: labels,
    HostConfig: { NetworkMode: 'none' },
  };
  const answer = await use.engine('POST', '/containers/create', body);
  expect(answer.status).toBe(201);
  return (answer.json as { Id: string }).Id;
}

async function stateOf(id: string): Promise<string> {
  const { State } = (await use.engine('GET', `/containers/${id}/json`)).json as {
    State: { Status: string };
  };
  return State.Status;
}

const QUIET_MS = 400;

/** Writes bytes to the guard and tells what comes back until it ends the connection, or has said no more for a while. */
function speak(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(use.guard.socket);
    let said = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      socket.setTimeout(QUIET_MS, () => socket.destroy());
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
    socket.write(bytes);
  });
}

test.each<[string, string, string, number]>([
  ['looked at', 'GET', '/json', 200],
  ['started', 'POST', '/start', 204],
  ['waited for', 'POST', '/wait?condition=next-exit', 200],
  ['measured', 'GET', '/stats?stream=false', 200],
  ['signalled', 'POST', '/kill?signal=KILL', 204],
  ['removed', 'DELETE', '?force=1&v=1', 204],
])(
  'a container of others is not %s, one of the deployment is',
  async (what, method, rest, status) => {
    const refused = await use.guard.call(method, `/containers/${foreign}${rest}`);
    expect(refused).toMatchObject({ status: 404, message: `no container ${foreign}` });
    expect(await stateOf(foreign)).toBe('created');
    const own = await use.create({ Cmd: ['/bin/sleep', what === 'waited for' ? '1' : '60'] });
    const asked =
      what === 'waited for' ? use.guard.call(method, `/containers/${own}${rest}`) : undefined;
    if (what !== 'started' && what !== 'looked at') await use.start(own);
    expect((await (asked ?? use.guard.call(method, `/containers/${own}${rest}`))).status).toBe(
      status,
    );
    if (what !== 'removed') await use.remove(own);
  },
);

test('a container of others is not attached to, one of the deployment is', async () => {
  await expect(attach(use.guard.socket, foreign)).rejects.toThrow('404');
  const own = await use.create();
  const { socket } = await attach(use.guard.socket, own);
  socket.destroy();
  await use.remove(own);
});

test('a container of another deployment on the same engine is one of others, and is not listed', async () => {
  const other = await createForeign({
    'sallyport.deployment': 'other',
    'sallyport.lease': 'tests',
  });
  const own = await use.create();
  expect((await use.guard.call('GET', `/containers/${other}/json`)).status).toBe(404);
  const listed = (await use.guard.call('GET', '/containers/json?all=1')).json as { Id: string }[];
  expect(listed.map(({ Id }) => Id)).toEqual([own]);
  await use.remove(own);
  await use.engine('DELETE', `/containers/${other}?force=1`);
});

test('a container goes by its whole id and by no name', async () => {
  const own = await use.create({}, 'named');
  for (const name of [
    'named',
    `sallyport-${use.guard.deployment}.named`,
    own.slice(0, 12),
    own.toUpperCase(),
  ]) {
    expect((await use.guard.call('GET', `/containers/${name}/json`)).status).toBe(400);
  }
  expect((await use.guard.call('GET', `/containers/${own}/json`)).status).toBe(200);
  await use.remove(own);
});

test.each([
  ['POST', '/containers/ID/exec'],
  ['POST', '/exec/ID/start'],
  ['POST', '/build'],
  ['POST', '/images/load'],
  ['POST', '/images/create'],
  ['GET', '/images/json'],
  ['POST', '/commit'],
  ['GET', '/containers/ID/archive'],
  ['PUT', '/containers/ID/archive'],
  ['GET', '/containers/ID/export'],
  ['GET', '/containers/ID/logs'],
  ['GET', '/containers/ID/top'],
  ['POST', '/containers/ID/update'],
  ['POST', '/containers/ID/rename'],
  ['POST', '/containers/ID/pause'],
  ['POST', '/containers/ID/unpause'],
  ['POST', '/containers/ID/restart'],
  ['POST', '/containers/prune'],
  ['POST', '/volumes/create'],
  ['GET', '/volumes'],
  ['DELETE', '/volumes/x'],
  ['POST', '/networks/create'],
  ['POST', '/containers/create/json'],
  ['POST', '/plugins/pull'],
  ['POST', '/swarm/init'],
  ['POST', '/session'],
  ['POST', '/grpc'],
  ['GET', '/events'],
  ['GET', '/version'],
  ['GET', '/system/df'],
  ['GET', '/secrets'],
  ['OPTIONS', '/containers/json'],
  ['PATCH', '/containers/ID/json'],
])('%s %s is not offered', async (method, path) => {
  const own = await use.create();
  const answer = await use.guard.call(method, path.replace('ID', own));
  expect(answer.status).toBe(403);
  expect(answer.message).toContain('is not offered');
  expect((await use.guard.call('GET', `/containers/${own}/json`)).status).toBe(200);
  await use.remove(own);
});

test.each([
  ['/v1.41/../containers/json', '/v1.41/containers/json'],
  ['/containers/%2e%2e/containers/json', '/containers/json'],
  ['//containers/json', '/containers/json'],
  ['/containers//json', '/containers/json'],
  ['/containers/json/', '/containers/json'],
  ['/containers/json?all=1&all=0', '/containers/json?all=1'],
  ['/containers/json?filters=x', '/containers/json'],
  ['/v1.24/containers/json', '/v1.41/containers/json'],
])('the path %s is refused', async (hostile, twin) => {
  expect(await speak(`GET ${hostile} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 400 /,
  );
  expect(await speak(`GET ${twin} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  );
});

const SECOND = 'GET /info HTTP/1.1\r\nHost: g\r\n\r\n';
test.each<[string, string]>([
  [
    'a length beside chunks',
    `POST /leases/a HTTP/1.1\r\nHost: g\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  ],
  [
    'two lengths',
    `POST /leases/a HTTP/1.1\r\nHost: g\r\nContent-Length: 0\r\nContent-Length: ${SECOND.length}\r\n\r\n${SECOND}`,
  ],
  [
    'another encoding',
    `POST /leases/a HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SECOND}`,
  ],
  [
    'chunks twice over',
    `POST /leases/a HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SECOND}`,
  ],
  [
    'a space before the colon',
    `POST /leases/a HTTP/1.1\r\nHost: g\r\nContent-Length : 0\r\n\r\n${SECOND}`,
  ],
  ['a folded header', `POST /leases/a HTTP/1.1\r\nHost: g\r\nX: a\r\n b\r\n\r\n${SECOND}`],
  ['a header without an end', `POST /leases/a HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
])('%s ends the connection with nothing done', async (_, bytes) => {
  const answers = await speak(bytes);
  expect(answers).toMatch(/^HTTP\/1.1 4(00|31) /);
  expect(answers.match(/HTTP\/1.1/g)).toHaveLength(1);
  expect(
    await speak(`POST /leases/a HTTP/1.1\r\nHost: g\r\nContent-Length: 0\r\n\r\n${SECOND}`),
  ).toMatch(/^HTTP\/1.1 204 [^]*HTTP\/1.1 200 /);
});

test('a body in a request that takes none is refused, and never taken for the next request', async () => {
  const own = await use.create();
  const head = `POST /containers/${own}/start HTTP/1.1\r\nHost: g\r\nConnection: keep-alive\r\n`;
  const body = `DELETE /containers/${own}?force=1 HTTP/1.1\r\nHost: g\r\n\r\n`;
  expect(await speak(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)).toMatch(
    /^HTTP\/1.1 400 /,
  );
  expect(await stateOf(own)).toBe('created');
  expect(await speak(`${head}Content-Length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 204 /);
  await use.remove(own);
});

test('bodies are bounded, whether they say their size or not', async () => {
  const large = JSON.stringify(use.body({ Env: [`A=${'a'.repeat(100_000)}`] }));
  const padding = ' '.repeat(1024 * 1024 - large.length);
  const send = async (body: string, headers: Record<string, string>): Promise<number> => {
    const answer = await use.guard.call('POST', '/containers/create?name=large', body, headers);
    if (answer.status === 201) await use.remove((answer.json as { Id: string }).Id);
    return answer.status;
  };
  const type = { 'content-type': 'application/json' };
  expect(await send(large + padding, type)).toBe(201);
  expect(await send(`${large}${padding} `, type)).toBe(413);
  expect(await send(`${large}${padding} `, { ...type, 'transfer-encoding': 'chunked' })).toBe(413);
  expect(await send(large, { 'content-type': 'text/plain' })).toBe(400);
  expect(await send(large, { ...type, 'content-encoding': 'gzip' })).toBe(400);
});

test('streams go both ways, and the end of the input is not the end of the output', async () => {
  const own = await use.create({
    Cmd: ['/bin/sh', '-c', 'n=$(cat | wc -c); sleep 1; echo "read $n"; echo words >&2'],
    OpenStdin: true,
  });
  const { socket, output } = await attach(use.guard.socket, own, ['stdin', 'stdout', 'stderr']);
  const exit = use.guard.call('POST', `/containers/${own}/wait?condition=next-exit`);
  await use.start(own);
  socket.end(Buffer.alloc(3_000_000, 'x'));
  // In which order the two streams come is not said.
  expect((await output).split('\n').toSorted()).toEqual(['', 'read 3000000', 'words']);
  expect((await exit).json).toMatchObject({ StatusCode: 0 });
  await use.remove(own);
});

test('attaching asks for a stream in the engine’s own way, or is refused', async () => {
  const own = await use.create();
  const head = `POST /containers/${own}/attach`;
  const upgrade = 'HTTP/1.1\r\nHost: g\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
  expect(await speak(`${head} ${upgrade}`)).toMatch(/^HTTP\/1.1 400 /);
  expect(await speak(`${head}?stream=1&stdout=1&logs=1 ${upgrade}`)).toMatch(/^HTTP\/1.1 400 /);
  expect(await speak(`${head}?stream=1&stdout=1 ${upgrade.replace('tcp', 'h2c')}`)).toMatch(
    /^HTTP\/1.1 400 /,
  );
  expect(await speak(`POST /containers/${own}/exec?stream=1 ${upgrade}`)).toMatch(
    /^HTTP\/1.1 403 /,
  );
  const { output } = await attach(use.guard.socket, own, ['stdout']);
  await use.start(own);
  await use.remove(own);
  expect(await output).toBe('');
});

test.each([
  ['TERM', 3],
  ['SIGTERM', 3],
  ['KILL', 137],
])('%s reaches the program', async (signal, code) => {
  const own = await use.create({
    Cmd: ['/bin/sh', '-c', 'trap "exit 3" TERM; while :; do sleep 0.1; done'],
  });
  const exit = use.guard.call('POST', `/containers/${own}/wait?condition=next-exit`);
  await use.start(own);
  await sleep(300);
  expect((await use.guard.call('POST', `/containers/${own}/kill?signal=${signal}`)).status).toBe(
    204,
  );
  expect((await exit).json).toMatchObject({ StatusCode: code });
  expect((await use.guard.call('POST', `/containers/${own}/kill?signal=HUP`)).status).toBe(400);
  await use.remove(own);
});

test('a sandbox runs once', async () => {
  const own = await use.create({ Cmd: ['/bin/true'] });
  const exit = use.guard.call('POST', `/containers/${own}/wait?condition=next-exit`);
  await use.start(own);
  await exit;
  expect(await use.guard.call('POST', `/containers/${own}/start`)).toMatchObject({ status: 409 });
  await use.remove(own);
});

test('an exit is never missed, however short the program and however late the wait is heard', async () => {
  for (let i = 0; i < 8; i += 1) {
    const own = await use.create({ Cmd: ['/bin/true'] });
    const exit = use.guard.call('POST', `/containers/${own}/wait?condition=next-exit`);
    await use.start(own);
    expect((await exit).json).toMatchObject({ StatusCode: 0 });
    await use.remove(own);
  }
});

test('files and directories of the workspace go by the names of their kinds alone', async () => {
  const files = '/workspace/files';
  const status = async (method: string, path: string): Promise<number> =>
    (await use.guard.call(method, path, method === 'PUT' ? 'x' : undefined)).status;
  await use.guard.call('PUT', `/workspace/directories/${STEP}/out`);
  for (const name of [
    '/etc/x',
    'x',
    'runs/x',
    `${STEP}/tree/x`,
    `${STEP}/out/x`,
    'runs/r/history.git/config',
  ]) {
    expect(await status('PUT', `${files}/${name.replace(/^\//, '')}`)).toBe(403);
  }
  expect(await status('PUT', `${files}/${STEP}/in/x`)).toBe(204);
  for (const name of [`${STEP}/in/x`, `${STEP}/out/a/b`, 'runs/r/x']) {
    expect(await status('GET', `${files}/${name}`)).toBe(403);
  }
  const missing = await use.guard.call('GET', `${files}/${STEP}/out/none`);
  expect(missing).toMatchObject({ status: 404, json: { kind: 'missing' } });
  for (const name of ['runs', 'mirrors', `${STEP}/in/x`, 'runs/r/trees']) {
    expect(await status('DELETE', `/workspace/directories/${name}`)).toBe(403);
  }
  expect((await use.guard.call('GET', '/workspace/directories/runs')).json).toEqual(['r']);
  expect(await status('GET', '/workspace/directories/environments/7')).toBe(404);
  expect(await status('DELETE', '/workspace/directories/runs/r')).toBe(204);
  expect((await use.guard.call('GET', '/workspace/directories/runs')).json).toEqual([]);
});
