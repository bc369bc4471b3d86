/**
 * The operator's one file for `sallyport up`: which App, which GitHub, where to listen, which agents. Paths in it count from
 * the file's own directory. Every problem is reported at once, with its place in the file.
 */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { DEPLOYMENT_PATTERN } from '@sallyport/shared/processes';
import { BRANCH_PREFIX } from '@sallyport/shared/task/branch-name';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

const port = z.int().min(0).max(65_535);
const listen = (defaultPort: number) =>
  z
    .strictObject({ host: z.string().default('127.0.0.1'), port: port.default(defaultPort) })
    .default({ host: '127.0.0.1', port: defaultPort });

const UpConfigSchema = z.strictObject({
  deployment: z
    .string()
    .regex(DEPLOYMENT_PATTERN, 'use 2 to 24 lower-case letters, digits and _')
    .default('sallyport'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  github: z.strictObject({
    apiUrl: z.url().default('https://api.github.com'),
    url: z.url().default('https://github.com'),
    appId: z.int().positive(),
    appSlug: z.string().min(1),
    privateKeyFile: z.string().min(1),
    webhookSecretFile: z.string().min(1),
  }),
  intake: listen(8080),
  console: listen(8081),
  launcher: z
    .strictObject({
      maxRuns: z.int().min(1).max(64).default(2),
      leaseSeconds: z.int().min(2).max(600).default(30),
    })
    .default({ maxRuns: 2, leaseSeconds: 30 }),
  agentsFile: z.string().min(1),
  teamsFile: z.string().min(1).optional(),
  policyFile: z.string().min(1).optional(),
  environmentsFile: z.string().min(1).optional(),
  branchPrefix: BRANCH_PREFIX,
});
export type UpConfig = z.infer<typeof UpConfigSchema>;

/** Reads and checks the file. @throws AppError `bad_config` with every problem, one a line: place, what, mend. */
export function readUpConfig(file: string): UpConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `cannot read ${file}; deploy/config/sallyport.example.yaml shows what stands in it`,
      { cause },
    );
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new AppError(
      'bad_config',
      document.errors.map((e) => `${file}: ${e.message}`).join('\n'),
    );
  }
  const parsed = UpConfigSchema.safeParse(document.toJS() ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const path = issue.path.map(String);
      return `  ${file}:${lineOf(document, lines, path)}: ${path.join('.') || 'the file'}: ${issue.message}`;
    });
    throw new AppError('bad_config', `invalid configuration:\n${problems.join('\n')}`);
  }
  return resolvePaths(parsed.data, dirname(file));
}

/** The line of the deepest part of the path that the file has. */
function lineOf(
  document: ReturnType<typeof parseDocument>,
  lines: LineCounter,
  path: readonly string[],
): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function resolvePaths(config: UpConfig, base: string): UpConfig {
  const resolve = (path: string): string => (isAbsolute(path) ? path : join(base, path));
  return {
    ...config,
    github: {
      ...config.github,
      privateKeyFile: resolve(config.github.privateKeyFile),
      webhookSecretFile: resolve(config.github.webhookSecretFile),
    },
    agentsFile: resolve(config.agentsFile),
    ...(config.teamsFile === undefined ? {} : { teamsFile: resolve(config.teamsFile) }),
    ...(config.policyFile === undefined ? {} : { policyFile: resolve(config.policyFile) }),
    ...(config.environmentsFile === undefined
      ? {}
      : { environmentsFile: resolve(config.environmentsFile) }),
  };
}
