/** A deployment under compose in a copy of this checkout, with a GitHub of our own in it. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentScript, type ScriptedAction } from '../support/agent/script.ts';
import {
  createGithubControl,
  type GithubControl,
} from '../support/github/control/create-github-control.ts';
import type { Engine } from './engine.ts';
import { copyCheckout } from './copy-checkout.ts';
import { authorityEnvironment, IMAGES } from './images.ts';
import { mustRun, run, type Ran } from './run-program.ts';
import { providePlugin, typeLines } from './terminal.ts';
import { APP_KEY_NAME, GITHUB_PORTS } from './world.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DOWN_TIMEOUT_MS = 600_000;
const BUILD_TIMEOUT_MS = 1_800_000;
const HEALTHY_TIMEOUT_MS = 300_000;
const AGENT = {
  argv: [
    '/usr/local/bin/node',
    '/agent/scripted-agent.mjs',
    '--script',
    '/agent-script/script.json',
  ],
  mounts: [
    { host: '/opt/test-agent/scripted-agent.mjs', inside: '/agent/scripted-agent.mjs' },
    { host: '/opt/test-script/script.json', inside: '/agent-script/script.json' },
  ],
};
const TEAM = {
  v: 1,
  name: 'starter',
  nodes: [
    {
      id: 'developer',
      agent: { cli: 'scripted' },
      prompt: 'Mend what the issue describes.',
      timeoutMinutes: 5,
    },
  ],
  edges: [],
};

export type Stack = Awaited<ReturnType<typeof createStack>>;

/** Makes the files that an operator and GitHub would bring; starts nothing. */
export async function createStack(engine: Engine) {
  const project = `sallyport-test-${randomBytes(3).toString('hex')}`;
  const work = mkdtempSync(join(tmpdir(), 'sp-compose-'));
  const checkout = join(work, 'sallyport');
  const composeDir = join(checkout, 'deploy', 'compose');
  const state = join(composeDir, 'state');
  const given = join(work, 'given');
  const home = join(work, 'home');
  for (const dir of [given, home, join(work, 'agent')]) mkdirSync(dir, { mode: 0o755 });
  await copyCheckout(ROOT, checkout);
  copyFileSync(
    join(import.meta.dirname, 'override.yml'),
    join(composeDir, 'docker-compose.override.yml'),
  );
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' });
  for (const file of [join(home, APP_KEY_NAME), join(given, 'app-key.pem')])
    writeFileSync(file, key, { mode: 0o644 });

  const owner = statSync(ROOT);
  const env = {
    ...engine.env,
    ...authorityEnvironment(),
    ...IMAGES,
    HOME: home,
    ...(await providePlugin(home)),
    COMPOSE_PROJECT_NAME: project,
    GITHUB_API_URL: `https://github:${GITHUB_PORTS.https}/api`,
    GITHUB_URL: `https://github:${GITHUB_PORTS.https}`,
    // Any free port.
    INTAKE_BIND: '127.0.0.1:',
    CONSOLE_BIND: '127.0.0.1:',
    CHECKOUT: ROOT,
    WORK: work,
    OWNER: `${owner.uid}:${owner.gid}`,
  };

  const compose = (args: readonly string[], options: { timeoutMs?: number } = {}): Promise<Ran> =>
    run([...engine.compose, ...args], { env, cwd: composeDir, ...options });
  const docker = (...args: readonly string[]): Promise<string> =>
    mustRun(['docker', ...args], { env });

  async function containerOf(service: string): Promise<string> {
    const { stdout, stderr } = await compose(['ps', '-q', service]);
    if (stdout.trim() === '') throw new Error(`${service} has no container: ${stderr}`);
    return stdout.trim();
  }

  return {
    state,
    work,
    env,
    compose,
    docker,
    containerOf,
    setUp: (...args: readonly string[]): Promise<Ran> =>
      run([join(composeDir, 'setup.sh'), ...args], { env }),

    /** Types these lines at a terminal that stands in the root of the checkout. @throws Error with what was said. */
    type: (lines: readonly string[]): Promise<string> =>
      typeLines(lines, { env, cwd: checkout, timeoutMs: BUILD_TIMEOUT_MS }),

    /** Writes what the agent will do in the runs that start from now on. */
    setScript(script: readonly ScriptedAction[]): void {
      writeFileSync(join(work, 'agent', 'script.json'), agentScript(...script), { mode: 0o644 });
    },

    /** Brings a configuration that knows the scripted agent, and makes GitHub's certificate. */
    async configure(): Promise<void> {
      const config = join(state, 'config');
      mkdirSync(config, { recursive: true });
      writeFileSync(join(config, 'agents.json'), JSON.stringify({ scripted: AGENT }));
      writeFileSync(join(config, 'teams.json'), JSON.stringify({ teams: [TEAM] }));
      await mustRun(
        [
          'openssl',
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ]
          .concat('-subj', '/CN=github', '-addext', 'subjectAltName=DNS:github')
          .concat('-keyout', join(given, 'github-key.pem'), '-out', join(given, 'github.pem')),
      );
      writeFileSync(join(given, 'authority.pem'), readFileSync(join(given, 'github.pem')));
      for (const name of ['github-key.pem', 'github.pem', 'authority.pem'])
        chmodSync(join(given, name), 0o644);
    },

    /** Waits until the container of each of these services says that it is well. */
    async untilWell(services: readonly string[]): Promise<void> {
      const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
      for (const service of services) {
        const id = await containerOf(service);
        let health = '';
        do {
          health = (await docker('inspect', '--format', '{{.State.Health.Status}}', id)).trim();
          if (health !== 'healthy') await sleep(1000);
        } while (health !== 'healthy' && Date.now() < deadline);
        if (health !== 'healthy') throw new Error(`${service} is ${health}`);
      }
    },

    /** Runs a shell script in a service's container, as its user. */
    async shell(service: string, script: string, ...args: readonly string[]): Promise<Ran> {
      const id = await containerOf(service);
      return run(['docker', 'exec', '-i', id, 'sh', '-s', '--', ...args], { env, input: script });
    },

    /** Runs the operator's command in the console's container, with --json; its answer. */
    async sallyport(
      ...args: readonly string[]
    ): Promise<{ code: number | null; answer: Record<string, unknown> }> {
      const ran = await compose(['exec', '-T', 'console', './sallyport', ...args, '--json']);
      const last = ran.stdout.trim().split('\n').at(-1) ?? '';
      try {
        return { code: ran.code, answer: JSON.parse(last) as Record<string, unknown> };
      } catch {
        throw new Error(
          `sallyport ${args.join(' ')} ended with ${ran.code}: ${last} ${ran.stderr.slice(-1000)}`,
        );
      }
    },

    /** The address on this machine at which a service's port is published. */
    async published(service: string, port: number): Promise<string> {
      return `http://${(await compose(['port', service, String(port)])).stdout.trim()}`;
    },

    /** The address of a container in one of the networks. */
    async addressIn(service: string, network: string): Promise<string> {
      const format = `{{(index .NetworkSettings.Networks "${project}_${network}").IPAddress}}`;
      return (await docker('inspect', '--format', format, await containerOf(service))).trim();
    },

    /** This machine's own address in one of the networks. */
    async gatewayOf(network: string): Promise<string> {
      const format = '{{(index .IPAM.Config 0).Gateway}}';
      return (
        await docker('network', 'inspect', '--format', format, `${project}_${network}`)
      ).trim();
    },

    /** The words of GitHub, spoken to the stand-in. */
    async github(): Promise<GithubControl> {
      const logs = await docker('logs', await containerOf('github'));
      const line = logs.split('\n').find((one) => one.includes('controlToken')) ?? '{}';
      const { controlToken } = JSON.parse(line) as { controlToken?: string };
      if (controlToken === undefined) throw new Error(`the GitHub stand-in did not start: ${logs}`);
      return createGithubControl(
        `http://${await this.addressIn('github', 'egress')}:${GITHUB_PORTS.http}`,
        controlToken,
      );
    },

    /** Runs a command as root in a container of the image, without a network; `options` are docker's. */
    asRoot(options: readonly string[], ...command: readonly string[]): Promise<string> {
      const walls = ['--rm', '--network', 'none', '--user', '0:0'];
      return docker('run', ...walls, ...options, IMAGES.SALLYPORT_IMAGE, ...command);
    },

    async down(): Promise<void> {
      await compose(['down', '--volumes', '--timeout', '5'], { timeoutMs: DOWN_TIMEOUT_MS });
      // Most of it belongs to the containers' users.
      const inside = '/stack/sallyport/deploy/compose/state';
      await this.asRoot(['--volume', `${work}:/stack`], 'rm', '-rf', inside);
      rmSync(work, { recursive: true, force: true });
    },
  };
}
