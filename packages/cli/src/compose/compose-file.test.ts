/** The compose file is held against the lists in the code: neither can gain a secret or a variable in silence. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROCESS_TABLE, runtimeEnvironment, secretFileName } from '../local/process-table.ts';
import { CONTAINER_UIDS, planSecrets, type ContainerName } from './secret-plan.ts';

interface Service {
  image: string;
  user: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt?: string[];
  networks: string[];
  ports?: string[];
  environment: Record<string, string>;
  secrets: { source: string; target: string }[];
  healthcheck?: unknown;
  mem_limit?: string;
  pids_limit?: number;
  cpus?: unknown;
  volumes?: string[];
}
const DIR = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'compose');
const file = parse(readFileSync(join(DIR, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<ContainerName, Service>;
  networks: Record<string, { internal?: boolean }>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(file.services) as [ContainerName, Service][];
/** What the table leaves to its default, or to an operator who has no file for it. */
const ONLY_IN_COMPOSE = new Set(['BRANCH_PREFIX', 'GIT_ISOLATION', 'TEAMS_FILE']);

describe('docker-compose.yml', () => {
  it('has a container for each process, and those that they need', () => {
    expect(services.map(([name]) => name).toSorted()).toEqual(
      Object.keys(CONTAINER_UIDS).toSorted(),
    );
  });

  it.each(services)(
    'gives %s the user, the limits and the walls of a container of ours',
    (name, service) => {
      const uid = CONTAINER_UIDS[name];
      expect(service.user).toBe(`${uid}:${uid}`);
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.cap_add).toBeUndefined();
      expect(service.privileged).toBeUndefined();
      expect(service.security_opt?.[0]).toBe('no-new-privileges:true');
      expect(service.security_opt).toHaveLength(name === 'worker-launcher' ? 3 : 1);
      for (const limit of ['mem_limit', 'pids_limit', 'cpus'] as const)
        expect(String(service[limit])).toMatch(
          /^(?:\$\{[A-Z_]+:-)?(?:[1-9][0-9.]*[a-z]?|0\.[0-9]*[1-9])\}?$/,
        );
      expect(service.healthcheck === undefined).toBe(name === 'migrate');
    },
  );

  it.each(services)('gives %s its own secrets and no others', (name, service) => {
    const wanted = planSecrets().filter((planned) => planned.container === name);
    expect(service.secrets.map((secret) => secret.target).toSorted()).toEqual(
      wanted.map((planned) => planned.file).toSorted(),
    );
    for (const { source, target } of service.secrets) {
      expect(file.secrets[source]?.file).toBe(`\${STATE:-./state}/secrets/${name}/${target}`);
    }
  });

  it.each(PROCESS_TABLE.map((entry) => [entry.name, entry] as const))(
    'gives %s the variables of the process table',
    (name, entry) => {
      const values = entry.values(
        {
          id: 'x',
          logLevel: 'info',
          github: { apiUrl: 'https://x', url: 'https://x', appId: 1, appSlug: 'x' },
          intake: { host: 'x', port: 1 },
          console: { host: 'x', port: 1 },
          launcher: { maxRuns: 1, leaseSeconds: 1 },
          agentsFile: '/x',
          importIsolation: 'none',
        },
        '/x',
      );
      const wanted = [
        ...Object.keys(runtimeEnvironment('/x')).filter((variable) => variable !== 'PATH'),
        'DEPLOYMENT_ID',
        'LOG_LEVEL',
        ...Object.keys(values),
        ...Object.keys(entry.secrets).map((secret) => `${secret}_FILE`),
      ];
      const { environment } = file.services[name];
      const found = Object.keys(environment).filter((variable) => !ONLY_IN_COMPOSE.has(variable));
      expect(found.toSorted()).toEqual(wanted.toSorted());
      for (const secret of Object.keys(entry.secrets))
        expect(environment[`${secret}_FILE`]).toBe(`/run/secrets/${secretFileName(secret)}`);
    },
  );

  it('connects only the publisher to the way out, and what listens to the way in', () => {
    const inNetwork = (network: string): string[] =>
      services.filter(([, service]) => service.networks.includes(network)).map(([name]) => name);
    expect(inNetwork('egress')).toEqual(['publisher']);
    expect(inNetwork('ingress').toSorted()).toEqual(['console', 'intake']);
    expect(file.networks['data']?.internal).toBe(true);
    expect(
      services
        .filter(([, service]) => service.ports !== undefined)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(['console', 'intake']);
  });

  it('shows no container the engine’s socket or a place of the machine besides its state', () => {
    const mounts = services.flatMap(([, service]) => service.volumes ?? []);
    const elsewhere = mounts.filter(
      (mount) =>
        !/^(\$\{STATE:-\.\/state\}\/(data|config)|whole-proc:|\.\/redis\.conf:)/.test(mount),
    );
    expect(elsewhere).toEqual([]);
  });
});

describe('the users of the image', () => {
  it('have the numbers of the containers', () => {
    const users = readFileSync(join(DIR, 'image', 'users'), 'utf8')
      .trim()
      .split('\n');
    const wanted = Object.entries(CONTAINER_UIDS)
      .filter(([name]) => name !== 'postgres' && name !== 'redis')
      .map(([name, uid]) => `${name} ${uid}`);
    expect(users).toEqual(wanted);
  });
});
