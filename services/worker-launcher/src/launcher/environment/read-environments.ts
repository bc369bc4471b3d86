/**
 * What the operator says about environments, from one JSON file: whether repositories may bring their own, which
 * registries and images there are, and environments that are used instead of a repository's.
 */
import { isAbsolute, normalize } from 'node:path';
import { parseOperatorFile } from '@sallyport/shared/operator-file';
import { EnvironmentSchema, type Environment } from '@sallyport/teams/environment/environment';
import { z } from 'zod';

const GIB = 1024 ** 3;
const DAY_MS = 24 * 60 * 60_000;

const name = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);
const repositoryName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}\/[A-Za-z0-9._-]{1,100}$/, 'write OWNER/NAME');
const directory = z
  .string()
  .max(4096)
  .refine(
    (path) => isAbsolute(path) && normalize(path) === path && path !== '/',
    'give an absolute path in its shortest form, not "/"',
  );

const EnvironmentsSchema = z.strictObject({
  fromRepositories: z.boolean().default(true),
  cache: z
    .strictObject({
      maxGibibytes: z.number().positive().max(100_000).default(20),
      maxAgeDays: z.number().positive().max(3_650).default(14),
    })
    .prefault({}),
  registries: z
    .record(
      name,
      z.strictObject({
        /** On this host; lent read-only. */
        directory,
        /** Who may name it; absent: every repository. */
        repositories: z.array(repositoryName).min(1).optional(),
      }),
    )
    .default({}),
  /** For sandboxes that are made from images: the digest behind each name. */
  images: z
    .record(name, z.string().regex(/^([a-z0-9./:_-]+@)?sha256:[0-9a-f]{64}$/, 'give a digest'))
    .default({}),
  /** Per repository its environment, or null for none; wins over the repository's own. */
  repositories: z.record(repositoryName, EnvironmentSchema.nullable()).default({}),
});

export interface Registry {
  directory: string;
  repositories: ReadonlySet<string> | null;
}

/** Repositories are named as GitHub compares them, in lower case. */
export interface Environments {
  fromRepositories: boolean;
  cache: CacheBounds;
  registries: ReadonlyMap<string, Registry>;
  images: ReadonlyMap<string, string>;
  repositories: ReadonlyMap<string, Environment | null>;
}

export interface CacheBounds {
  maxBytes: number;
  maxAgeMs: number;
}

/**
 * Reads the file; without one the defaults hold.
 * @throws AppError `bad_config` that names the file, every place in it that is wrong, and what to write there.
 */
export function readEnvironments(file: string | undefined): Environments {
  const form = '{"repositories": {}}';
  const said =
    file === undefined
      ? EnvironmentsSchema.parse({})
      : parseOperatorFile({ variable: 'ENVIRONMENTS_FILE', path: file, form }, EnvironmentsSchema);
  const { fromRepositories, cache, registries, images, repositories } = said;
  return {
    fromRepositories,
    cache: { maxBytes: cache.maxGibibytes * GIB, maxAgeMs: cache.maxAgeDays * DAY_MS },
    registries: new Map(
      Object.entries(registries).map(([id, { directory: at, repositories: whose }]) => [
        id,
        { directory: at, repositories: whose === undefined ? null : new Set(whose.map(lower)) },
      ]),
    ),
    images: new Map(Object.entries(images)),
    repositories: new Map(
      Object.entries(repositories).map(([id, environment]) => [lower(id), environment]),
    ),
  };
}

function lower(text: string): string {
  return text.toLowerCase();
}
