/**
 * How an import child is started on this installation, and the few directories that it must see for that: Node, the loader
 * that strips types (on Node versions without one), and this package. The rest of the checkout, where local state and keys
 * may lie, stays out of sight.
 */
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError } from '@sallyport/shared/errors';
import type { Mount } from './isolation.ts';

export interface ChildRuntime {
  node: string;
  nodeArgs: readonly string[];
  readOnly: readonly Mount[];
}

const OLD_SPACE_MIB = 160;
const PACKAGE_DIR = dirname(dirname(fileURLToPath(import.meta.url)));
export const IMPORT_CHILD_FILE = join(PACKAGE_DIR, 'src', 'import-child.ts');

/** Finds the runtime. @throws AppError `unavailable` when this Node needs a loader and none is installed. */
export function findChildRuntime(): ChildRuntime {
  const node = process.execPath;
  const shared = fileURLToPath(new URL('..', pathToFileURL(resolveFrom(import.meta.url, '@sallyport/shared/errors') ?? '')));
  const readOnly = [PACKAGE_DIR, shared];
  const nodeArgs = [`--max-old-space-size=${OLD_SPACE_MIB}`, '--no-warnings'];
  if (!('typescript' in process.features) || !process.features.typescript) {
    const loader = resolveFrom(process.argv[1], 'tsx') ?? resolveFrom(import.meta.url, 'tsx');
    if (loader === undefined) {
      throw new AppError('unavailable', 'import children need the package tsx on this version of Node; install it');
    }
    nodeArgs.push('--import', pathToFileURL(loader).href);
    readOnly.push(outermostModules(loader));
  }
  if (!node.startsWith('/usr/')) readOnly.push(node);
  return { node, nodeArgs, readOnly: readOnly.map((path) => ({ path })) };
}

function resolveFrom(file: string | undefined, name: string): string | undefined {
  if (file === undefined) return undefined;
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

/** The first `node_modules` on the path: a package's dependencies are links within it. */
function outermostModules(file: string): string {
  const parts = file.split(sep);
  const at = parts.indexOf('node_modules');
  return parts.slice(0, at + 1).join(sep);
}
