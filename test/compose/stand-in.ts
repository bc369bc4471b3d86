/**
 * GitHub, as a container: the stand-in behind the name and the certificate that the publisher is told, and without TLS for
 * the test that drives it. Prints one JSON line with the control token.
 */
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { SAMPLE_FILES } from '../support/line/sample-project.ts';
import { createGithub } from '../support/github/create-github.ts';
import { APP, GITHUB_PORTS, READER, REPO, WRITER } from './world.ts';

const github = await createGithub({
  appId: APP.id,
  appSlug: APP.slug,
  privateKey: readFileSync('/given/app-key.pem', 'utf8'),
});
for (const login of [WRITER, READER]) github.addUser({ login });
await github.addRepo({
  ...REPO,
  files: SAMPLE_FILES,
  protection: 'protected',
  permissions: { [WRITER]: 'write', [READER]: 'read' },
});

const port = Number(new URL(github.url).port);
function relay(socket: Socket): void {
  const inner = connect(port, '127.0.0.1');
  socket.pipe(inner).pipe(socket);
  socket.on('error', () => inner.destroy());
  inner.on('error', () => socket.destroy());
}
const tls = { key: readFileSync('/given/github-key.pem'), cert: readFileSync('/given/github.pem') };
createServer(relay).listen(GITHUB_PORTS.http, '0.0.0.0');
createTlsServer(tls, relay).listen(GITHUB_PORTS.https, '0.0.0.0');
process.stdout.write(`${JSON.stringify({ controlToken: github.controlToken })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void github.close().finally(() => process.exit(0)));
}
