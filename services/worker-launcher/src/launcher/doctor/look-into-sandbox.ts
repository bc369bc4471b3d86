/**
 * Looks into a sandbox for what must not be there. Each look is aimed at something that certainly is on this side: a
 * variable, a file and a process of this very program.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxDriver } from '../sandbox/driver.ts';

const MIB = 1024 * 1024;
const VARIABLE = 'SALLYPORT_DOCTOR';

const LOOK = `
cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -qF "$1" && echo 'an environment of this host can be read'
cat "$2" >/dev/null 2>&1 && echo 'a file of this host can be read'
kill -0 "$3" 2>/dev/null && echo 'a process of this host can be signalled'
[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 8 ] && echo 'processes of this host are seen'
touch /written /etc/written /usr/written 2>/dev/null; for f in /written /etc/written /usr/written; do
  [ -e $f ] && echo 'the programs can be changed'
done
echo looked`;

/** What was found, in words; empty when nothing was. */
export async function lookIntoSandbox(driver: SandboxDriver): Promise<string[]> {
  const marker = randomBytes(16).toString('hex');
  const directory = await mkdtemp(join(tmpdir(), 'doctor-'));
  const file = join(directory, 'file');
  const before = process.env[VARIABLE];
  try {
    await writeFile(file, marker);
    process.env[VARIABLE] = marker;
    const exit = await driver.run({
      id: `doctor-${marker}`,
      argv: ['/bin/bash', '-c', LOOK, 'look', marker, file, String(process.pid)],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/tmp',
      mounts: [],
      network: 'none',
      limits: {
        wallMs: 10_000,
        graceMs: 200,
        memoryBytes: 128 * MIB,
        processes: 32,
        fileBytes: MIB,
        diskBytes: 16 * MIB,
        outputBytes: MIB,
        openFiles: 64,
      },
      labels: { kind: 'doctor' },
    });
    const lines = exit.stdout.text.trim().split('\n');
    // A look that broke off has seen nothing, which is not the same as that there is nothing.
    if (lines.at(-1) !== 'looked') return [`it could not be looked at (${exit.end.kind})`];
    return [...new Set(lines.slice(0, -1))];
  } finally {
    if (before === undefined) delete process.env[VARIABLE];
    else process.env[VARIABLE] = before;
    await rm(directory, { recursive: true, force: true });
  }
}
