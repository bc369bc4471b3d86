/** What a deployment on one machine gives to each process, held against what that process says it reads. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  environmentFor,
  PROCESS_TABLE,
  runtimeEnvironment,
  type DeploymentSettings,
  type ProcessEntry,
} from '@sallyport/cli/local/process-table';
import { environmentNames, type ConfigSpec } from '@sallyport/shared/config';
import { PROCESSES } from '@sallyport/shared/processes';
import { environmentOf } from '@sallyport/shared/service';
import { expect, it } from 'vitest';
import type { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const PLACES = { secretsDir: '/s', stateDir: '/state', temporaryDir: '/tmp/t' };
const LEAST: DeploymentSettings = {
  id: 'demo',
  logLevel: 'info',
  github: {
    apiUrl: 'https://api.github.com',
    url: 'https://github.com',
    appId: 1,
    appSlug: 'sallyport',
  },
  intake: { host: '127.0.0.1', port: 0 },
  console: { host: '127.0.0.1', port: 0 },
  launcher: { maxRuns: 2, leaseSeconds: 30 },
  agentsFile: '/agents.json',
  importIsolation: 'bubblewrap',
};
const MOST: DeploymentSettings = {
  ...LEAST,
  teamsFile: '/teams.json',
  policyFile: '/policy.json',
  environmentsFile: '/environments.json',
  branchPrefix: 'bot',
};

type Spec = ConfigSpec<z.ZodRawShape, z.ZodRawShape>;

async function specOf(entry: ProcessEntry): Promise<Spec> {
  const file = join(ROOT, dirname(entry.main), 'config.ts');
  const module = (await import(file)) as { CONFIG: Spec };
  return environmentOf(module.CONFIG);
}

function problemsOf(spec: Spec, given: Readonly<Record<string, string>>): string[] {
  const known = environmentNames(spec);
  const needed = [
    ...Object.entries(spec.values).map(([name, schema]) => [name, schema] as const),
    ...Object.entries(spec.secrets).map(([name, schema]) => [`${name}_FILE`, schema] as const),
  ].filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success);
  return [
    ...Object.keys(given)
      .filter((name) => !known.includes(name))
      .map((name) => `${name} is given and not read`),
    ...needed
      .filter(([name]) => given[name] === undefined)
      .map(([name]) => `${name} is needed and not given`),
    ...Object.entries(spec.values)
      .filter(([name]) => given[name] !== undefined)
      .filter(([name, schema]) => !(schema as z.ZodType).safeParse(given[name]).success)
      .map(([name]) => `${name} is given a value that is refused`),
  ];
}

function givenTo(entry: ProcessEntry, settings: DeploymentSettings): Record<string, string> {
  const runtime = Object.keys(runtimeEnvironment(PLACES.temporaryDir));
  return Object.fromEntries(
    Object.entries(environmentFor(entry, settings, PLACES)).filter(
      ([name]) => !runtime.includes(name),
    ),
  );
}

it('has every process that has a role of its own, and the main of each', () => {
  expect(PROCESS_TABLE.map((entry) => entry.name).toSorted()).toEqual(
    PROCESSES.filter((process) => process !== 'operator').toSorted(),
  );
  for (const entry of PROCESS_TABLE) expect(existsSync(join(ROOT, entry.main))).toBe(true);
});

it.each(PROCESS_TABLE.map((entry) => [entry.name, entry] as const))(
  'gives %s what it needs and nothing that it does not read',
  async (_, entry) => {
    const spec = await specOf(entry);
    for (const settings of [LEAST, MOST]) {
      expect(problemsOf(spec, givenTo(entry, settings))).toEqual([]);
    }
  },
);

it('finds a name too many, a name too few, and a value of the wrong shape', async () => {
  const [intake] = PROCESS_TABLE;
  if (intake === undefined) throw new Error('the table is empty');
  const spec = await specOf(intake);
  const { WEBHOOK_SECRET_FILE: _, ...rest } = givenTo(intake, LEAST);
  expect(problemsOf(spec, { ...rest, GITHUB_APP_KEY_FILE: '/k', PORT: 'http' })).toEqual([
    'GITHUB_APP_KEY_FILE is given and not read',
    'WEBHOOK_SECRET_FILE is needed and not given',
    'PORT is given a value that is refused',
  ]);
});

it('gives the App key to the publisher alone, and the key that signs tickets to the gate alone', () => {
  const holders = (kind: string): string[] =>
    PROCESS_TABLE.filter((entry) => Object.values(entry.secrets).includes(kind as never)).map(
      (entry) => entry.name,
    );
  expect(holders('githubAppKey')).toEqual(['publisher']);
  expect(holders('ticketPrivateKey')).toEqual(['gate']);
  expect(holders('webhookSecret')).toEqual(['intake']);
});
