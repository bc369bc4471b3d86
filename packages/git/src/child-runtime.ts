/**
 * How an import child is started on this installation, and the few files that it must see for that. The checkout itself,
 * where local state and keys may lie, stays out of sight.
 */
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError } from '@sallyport/shared/errors';
import type { Mount } from './isolation.ts';

export interface ChildRuntime {
  node: string;
  nodeArgs: readonly string[];
  script: string;
  readOnly: readonly Mount[];
}

const OLD_SPACE_MIB = 160;
const SOURCE_FILE = fileURLToPath(new URL('import-child.ts', import.meta.url));
const PACKAGE_DIR = dirname(dirname(SOURCE_FILE));
const BUILT_FILE = 'import-child.mjs';

/** What is used of esbuild, which comes with the loader that runs this project's processes. */
interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/**
 * Builds the child's program into one file below `workRoot`, once per process: it starts in a tenth of the time that
 * loading it from source takes, and its sandbox then holds nothing else. Falls back to `findChildRuntime()`.
 * @throws AppError `unavailable` as `findChildRuntime`.
 */
export async function prepareChildRuntime(workRoot: string): Promise<ChildRuntime> {
  const loader = findLoader();
  const bundler = loader === undefined ? undefined : loadBundler(loader);
  if (bundler === undefined) return findChildRuntime();
  await mkdir(workRoot, { recursive: true, mode: 0o700 });
  const script = join(workRoot, BUILT_FILE);
  const unfinished = join(workRoot, `${randomUUID()}.mjs`);
  try {
    await bundler.build({
      entryPoints: [SOURCE_FILE],
      outfile: unfinished,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'silent',
    });
    // Whoever starts a child meanwhile sees the old file or the new one, both whole.
    await rename(unfinished, script);
  } catch {
    await rm(unfinished, { force: true });
    return findChildRuntime();
  }
  const { node, nodeArgs } = nodeItself();
  return { node, nodeArgs, script, readOnly: mounts([script, node]) };
}

/**
 * The child from its source, with the loader where this Node needs one.
 * @throws AppError `unavailable` when it needs one and none is installed.
 */
export function findChildRuntime(): ChildRuntime {
  const { node, nodeArgs } = nodeItself();
  const shared = resolveFrom(import.meta.url, '@sallyport/shared/errors');
  if (shared === undefined)
    throw new AppError('unavailable', 'the package @sallyport/shared is not installed');
  const paths = [PACKAGE_DIR, dirname(dirname(shared)), node];
  if ('typescript' in process.features && process.features.typescript !== false) {
    return { node, nodeArgs, script: SOURCE_FILE, readOnly: mounts(paths) };
  }
  const loader = findLoader();
  if (loader === undefined) {
    throw new AppError(
      'unavailable',
      'import children need the package tsx on this version of Node; install it',
    );
  }
  return {
    node,
    nodeArgs: [...nodeArgs, '--import', pathToFileURL(loader).href],
    script: SOURCE_FILE,
    readOnly: mounts([...paths, outermostModules(loader)]),
  };
}

function nodeItself(): { node: string; nodeArgs: string[] } {
  return {
    node: process.execPath,
    nodeArgs: [`--max-old-space-size=${OLD_SPACE_MIB}`, '--no-warnings'],
  };
}

// The main script is a service's, which has the loader among its own dependencies.
function findLoader(): string | undefined {
  return resolveFrom(process.argv[1], 'tsx') ?? resolveFrom(import.meta.url, 'tsx');
}

function resolveFrom(file: string | undefined, name: string): string | undefined {
  if (file === undefined) return undefined;
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

/** The bundler that the loader brings along, if it does. */
function loadBundler(loader: string): Bundler | undefined {
  try {
    return createRequire(loader)('esbuild') as Bundler;
  } catch {
    return undefined;
  }
}

/** Mounts for what the sandbox does not see anyway. */
function mounts(paths: readonly string[]): Mount[] {
  return paths.filter((path) => !path.startsWith('/usr/')).map((path) => ({ path }));
}

/** The first `node_modules` on the path: a package's dependencies are links within it. */
function outermostModules(file: string): string {
  const parts = file.split(sep);
  const at = parts.indexOf('node_modules');
  return parts.slice(0, at + 1).join(sep);
}
