/**
 * The borders of the house, as a pure check over (file, specifier): what splits the system by credential must not be
 * joined again by an import.
 */
import { posix } from 'node:path';

export interface Violation {
  file: string;
  specifier: string | null;
  rule: string;
}

interface Border {
  rule: string;
  /** Whether a module is behind this border. `target` is a package name or a path from the root. */
  guards: (target: string) => boolean;
  /** Where the module may be named. */
  allowedIn: (file: string) => boolean;
}

const inTests = (file: string): boolean => file.startsWith('test/') || file.endsWith('.test.ts');
const inDir =
  (dir: string) =>
  (file: string): boolean =>
    file.startsWith(`${dir}/`);

const BORDERS: readonly Border[] = [
  {
    rule: 'only the publisher speaks to GitHub',
    guards: (target) =>
      target.startsWith('@octokit/') ||
      target === 'octokit' ||
      target === 'universal-github-app-jwt',
    allowedIn: (file) => inDir('services/publisher')(file) || inTests(file),
  },
  {
    rule: 'only the worker-launcher speaks to an engine',
    guards: (target) => target === 'dockerode' || target === 'docker-modem',
    allowedIn: (file) => inDir('services/worker-launcher')(file) || inTests(file),
  },
  {
    rule: 'queues are reached through packages/shared alone; the console shows them',
    guards: (target) => target === 'bullmq',
    allowedIn: (file) =>
      inDir('packages/shared/src/queue')(file) || inDir('services/console')(file) || inTests(file),
  },
];

const GUARD = 'services/worker-launcher/src/engine-guard/';
/** What the holder of the engine's socket has no part in: the launcher, databases, queues, libraries that know the engine. */
const NOT_FOR_THE_GUARD =
  /^(?:dockerode$|docker-modem$|pg$|ioredis$|bullmq$|packages\/(?:git|teams)|packages\/shared\/(?:service|db|queue|halt|ticket)|services\/worker-launcher\/src\/(?!engine-guard))/;

/** The violations in one file, given the specifiers that it names. */
export function checkBorders(file: string, specifiers: readonly (string | null)[]): Violation[] {
  return specifiers.flatMap((specifier): Violation[] => {
    if (specifier === null) {
      return inTests(file) ? [] : [{ file, specifier, rule: 'a module is named by a literal' }];
    }
    const target = resolveTarget(file, specifier);
    const rules = BORDERS.filter((b) => b.guards(target) && !b.allowedIn(file)).map((b) => b.rule);
    return [...rules, ...placeRules(file, target)].map((rule) => ({ file, specifier, rule }));
  });
}

/** A relative path becomes a path from the root; a workspace package becomes its directory; anything else stays a name. */
function resolveTarget(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(file), specifier));
  if (specifier.startsWith('file:') || specifier.startsWith('/')) return specifier;
  const own = /^@sallyport\/([a-z-]+)(\/.*)?$/.exec(specifier);
  if (own === null) return specifier.replace(/^node:/, '');
  const name = own[1] ?? '';
  const dir = ['shared', 'git', 'policy', 'teams', 'cli'].includes(name)
    ? `packages/${name}`
    : name === 'test'
      ? 'test'
      : `services/${name}`;
  return `${dir}${own[2] ?? ''}`;
}

function placeRules(file: string, target: string): string[] {
  const rules: string[] = [];
  const from = placeOf(file);
  const to = placeOf(target);
  if (target.startsWith('/') || target.startsWith('file:'))
    rules.push('no module is named by an absolute path');
  if (file.startsWith(GUARD) && !inTests(file) && NOT_FOR_THE_GUARD.test(target))
    rules.push('the engine guard shares nothing with those it guards against');
  if (from === null || to === null || from === to || inTests(file)) return rules;
  if (from.startsWith('services/') && to.startsWith('services/'))
    rules.push('services never import one another');
  if (from.startsWith('packages/') && to.startsWith('services/'))
    rules.push('packages never import services');
  const isDemo = /^packages\/cli\/src\/(commands\/demo|local\/demo)/.test(file);
  if (to === 'test' && !isDemo) rules.push('only the demo may import test support');
  return rules;
}

function placeOf(path: string): string | null {
  const match = /^(services|packages)\/[^/]+/.exec(path);
  if (match !== null) return match[0];
  return path.startsWith('test/') ? 'test' : null;
}
