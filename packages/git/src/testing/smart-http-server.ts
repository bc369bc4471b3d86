/** A git server over http on a loopback address with Basic auth, for tests of push and fetch. For tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';

export interface SmartHttpServer {
  url(repository: string): string;
  /** Called before each request is handed to git; may answer it itself by returning true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => Promise<boolean>) | undefined;
  /** Paths asked for, with the authorization that came along. */
  seen: { path: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Serves the bare repositories below `root` to whoever knows the token. */
export async function startSmartHttpServer(root: string, token: string): Promise<SmartHttpServer> {
  const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const server: Server = createServer((request, response) => void handle(request, response));
  const started: SmartHttpServer = {
    url: (repository) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${repository}`,
    intercept: undefined,
    seen: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization } = request.headers;
    started.seen.push({ path: request.url ?? '', authorization });
    if (authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    if ((await started.intercept?.(request, response)) === true) return;
    runBackend(root, request, response);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return started;
}

function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const protocol = request.headers['git-protocol'];
  const encoding = request.headers['content-encoding'];
  const child = spawn('/usr/bin/git', ['http-backend'], {
    env: {
      PATH: '/usr/bin:/bin',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      REMOTE_USER: 'x-access-token',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(encoding === undefined ? {} : { HTTP_CONTENT_ENCODING: encoding }),
      ...(typeof protocol === 'string' ? { GIT_PROTOCOL: protocol } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let open = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (open) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    open = true;
    const fields = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = fields.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? '200';
    const headers = fields.filter(([name]) => name !== 'Status');
    response.writeHead(Number(status), Object.fromEntries(headers));
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
}
