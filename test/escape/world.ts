/**
 * What the attempts are aimed at: everything is made by the test and goes with it. Whoever reaches a file, a socket or a
 * process of this world reads the word THROUGH there.
 */
import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface World {
  /** Holds all that follows. */
  directory: string;
  stateDir: string;
  otherTask: string;
  keyFile: string;
  sockets: { engine: string; guard: string };
  abstractName: string;
  tcpPort: number;
  tcp6Port: number;
  udpPort: number;
  /** Path and a dash, or address and port. */
  redis: [string, string];
  postgres: [string, string];
  /** The process that starts the sandboxes. */
  launcherPid: number;
  /** A sleeping process with a secret in its environment and, at this address, in its memory. */
  victim: { pid: number; address: string };
  close(): Promise<void>;
}

export const SECRET_VARIABLE = 'ESCAPE_SECRET';
export const SECRET = `THROUGH-${randomBytes(8).toString('hex')}`;

const VICTIM = `
$| = 1; $SIG{USR1} = 'IGNORE';
my $secret = $ENV{${SECRET_VARIABLE}};
syscall(${process.arch === 'arm64' ? 167 : 157}, 0x59616d61, -1, 0, 0, 0);
print unpack('J', pack('p', $secret)), "\\n";
sleep 600;`;

export interface Servers {
  redisUrl: string;
  databaseUrl: string;
}

/** `victimUid`: whom the victim belongs to, if not to the test's own user. */
export async function createWorld(servers: Servers, victimUid?: number): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'escape-'));
  // The guard's sandboxes run as another user; a mode is not what shall keep them out.
  chmodSync(directory, 0o755);
  const stateDir = join(directory, 'state');
  const otherTask = join(stateDir, 'runs/other/steps/other/tree/secret.txt');
  const keyFile = join(directory, 'app-key.pem');
  mkdirSync(dirname(otherTask), { recursive: true });
  writeFileSync(join(stateDir, 'THROUGH'), '');
  for (const file of [otherTask, keyFile]) writeFileSync(file, `${SECRET}\n`);
  const sockets = {
    engine: join(directory, 'docker.sock'),
    guard: join(directory, 'guard.sock'),
  };
  // As long as such a name can be: some pad it, and then it is another.
  const abstractName = `escape-${randomBytes(8).toString('hex')}`.padEnd(107, '-');
  const listeners: Server[] = [];
  async function listen(where: { path: string } | { host: string }): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('THROUGH\n');
    });
    listeners.push(server);
    server.listen('path' in where ? where : { ...where, port: 0 });
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }
  for (const path of [...Object.values(sockets), `\0${abstractName}`]) await listen({ path });
  const [tcpPort, tcp6Port] = [await listen({ host: '127.0.0.1' }), await listen({ host: '::1' })];
  const datagrams = await answerDatagrams();
  const victim = spawn('/usr/bin/perl', ['-e', VICTIM], {
    env: { [SECRET_VARIABLE]: SECRET },
    ...(victimUid === undefined ? {} : { uid: victimUid, gid: victimUid }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = (await once(victim.stdout, 'data')) as [Buffer];
  return {
    directory,
    stateDir,
    otherTask,
    keyFile,
    sockets,
    abstractName,
    tcpPort,
    tcp6Port,
    udpPort: datagrams.address().port,
    redis: endpointOf(servers.redisUrl),
    postgres: endpointOf(servers.databaseUrl),
    launcherPid: process.pid,
    victim: { pid: victim.pid ?? 0, address: address.toString().trim() },
    async close() {
      await end(victim);
      for (const server of listeners) server.close();
      datagrams.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answerDatagrams(): Promise<DatagramSocket> {
  const socket = createSocket('udp4');
  socket.on('message', (_, from) => socket.send('THROUGH', from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Servers that the tests start themselves listen at a path, of which each protocol has its own way to tell. */
function endpointOf(url: string): [string, string] {
  const { protocol, hostname, port, searchParams } = new URL(url);
  const path = searchParams.get('path') ?? decodeURIComponent(hostname);
  if (path.startsWith('/')) {
    return [protocol.startsWith('redis') ? path : join(path, `.s.PGSQL.${port || '5432'}`), '-'];
  }
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
  return [host, port || (protocol.startsWith('redis') ? '6379' : '5432')];
}
