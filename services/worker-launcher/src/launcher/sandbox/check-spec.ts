/** What must be true of every specification, whatever wall is built from it. */
import { AppError } from '@sallyport/shared/errors';
import type { SandboxMount, SandboxSpec } from './driver.ts';

function hostPathsOf(mount: SandboxMount): readonly string[] {
  switch (mount.kind) {
    case 'bind':
      return [mount.source];
    case 'overlay':
      return [...mount.layers, mount.view];
    case 'tmpfs':
      return [];
  }
}

/**
 * Looks a specification over before a driver makes anything of it.
 * @throws AppError `bad_input` that names the part which cannot be used.
 */
export function checkSpec(spec: SandboxSpec): void {
  const strings: [string, string][] = [
    ['cwd', spec.cwd],
    ...spec.argv.map((value, i): [string, string] => [`argv[${i}]`, value]),
    ...Object.entries(spec.env).map(([name, value]): [string, string] => [
      `env ${name}`,
      `${name}=${value}`,
    ]),
    ...spec.mounts.map((m): [string, string] => [
      `mount ${m.role}`,
      [...hostPathsOf(m), m.target].join(''),
    ]),
  ];
  for (const [name, value] of strings) {
    // bubblewrap's options travel as NUL-separated text: a NUL inside a value would begin one of its author's choice.
    if (value.includes('\0'))
      throw new AppError('bad_input', `sandbox ${spec.id}: ${name} contains a NUL byte`);
  }
  const paths: [string, string][] = [
    ['argv[0]', spec.argv[0]],
    ['cwd', spec.cwd],
  ];
  for (const m of spec.mounts) {
    paths.push([`target of mount ${m.role}`, m.target]);
    for (const path of hostPathsOf(m)) paths.push([`source of mount ${m.role}`, path]);
  }
  for (const [name, path] of paths) {
    if (!path.startsWith('/') || path.split('/').includes('..')) {
      throw new AppError(
        'bad_input',
        `sandbox ${spec.id}: ${name} must be an absolute path without "..", not "${path}"`,
      );
    }
  }
  for (const name of Object.keys(spec.env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new AppError(
        'bad_input',
        `sandbox ${spec.id}: "${name}" is not the name of an environment variable`,
      );
    }
  }
  for (const [name, value] of Object.entries(spec.limits) as [string, number][]) {
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new AppError(
        'bad_input',
        `sandbox ${spec.id}: limit ${name} must be a positive whole number, not ${value}`,
      );
    }
  }
  if (spec.limits.graceMs > 4000) {
    throw new AppError(
      'bad_input',
      `sandbox ${spec.id}: graceMs is ${spec.limits.graceMs}; at most 4000, so that a stop takes under 5 s`,
    );
  }
}
