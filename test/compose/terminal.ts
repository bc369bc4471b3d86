/**
 * A terminal at which the commands of a manual are typed, word for word. Where only the first generation of compose can be
 * had, `docker compose` is made a name for it, by the way in which the docker client finds its plug-ins.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type RunOptions } from './run-program.ts';

const PLUGIN = `#!/bin/sh
if [ "$1" = docker-cli-plugin-metadata ]; then
  echo '{"SchemaVersion":"0.1.0","Vendor":"a test","Version":"1","ShortDescription":"docker-compose"}'
  exit
fi
shift
exec docker-compose "$@"
`;

/** What the environment needs for `docker compose` to be understood; makes it below `home`. */
export async function providePlugin(home: string): Promise<Record<string, string>> {
  const own = await run(['docker', 'compose', 'version']);
  if (own.code === 0) return {};
  const config = join(home, '.docker');
  const plugins = join(config, 'cli-plugins');
  mkdirSync(plugins, { recursive: true });
  writeFileSync(join(plugins, 'docker-compose'), PLUGIN, { mode: 0o755 });
  return { DOCKER_CONFIG: config };
}

/** The lines of the first block of shell commands below a heading. @throws Error when there is none. */
export function readCommands(file: string, heading: string): string[] {
  const [, section] = readFileSync(file, 'utf8').split(`\n## ${heading}\n`);
  const block = /```sh\n([^]*?)```/.exec(section ?? '')?.[1];
  if (block === undefined) throw new Error(`${file} has no commands under "${heading}"`);
  return block.split('\n').filter((line) => line !== '');
}

/** Types the lines one after the other and stops at the first that fails. @throws Error with what was said until then. */
export async function typeLines(lines: readonly string[], options: RunOptions): Promise<string> {
  const typed = `set -e\n${lines.join('\n')}\n`;
  const argv = ['script', '--quiet', '--return', '--flush', '--command', typed, '/dev/null'];
  const ran = await run(argv, { ...options, env: { ...options.env, SHELL: '/bin/bash' } });
  if (ran.code === 0) return ran.stdout;
  const said = `${ran.stdout}\n${ran.stderr}`.trim().split('\n').slice(-40).join('\n');
  throw new Error(`${lines.join(' ; ')} ended with ${ran.code ?? 'a timeout'}:\n${said}`);
}
