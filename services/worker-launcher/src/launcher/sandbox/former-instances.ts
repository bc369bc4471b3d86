/**
 * Which launchers worked in this state directory before and are dead for certain: so that what they left running is ended
 * when the next one starts, and not only when their lease has run out. Who may still be alive is left to the leases.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readProcess } from './process-census.ts';

/** A process is itself by all four: numbers of processes are given anew, and mean nothing in another namespace. */
const RecordSchema = z.strictObject({
  boot: z.string(),
  namespace: z.string(),
  pid: z.int(),
  startTicks: z.int(),
});
type ProcessRecord = z.infer<typeof RecordSchema>;

export interface FormerInstances {
  /** Instances that are dead. */
  readonly dead: readonly string[];
  /** Forgets one, once nothing of it is left. */
  forget(instance: string): void;
}

/** Writes this process down as `instance` and looks who was there before. */
export function readFormerInstances(stateDir: string, instance: string): FormerInstances {
  const directory = join(stateDir, 'instances');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const own = ownRecord();
  const names = readdirSync(directory);
  writeFileSync(join(directory, instance), JSON.stringify(own), { mode: 0o600 });
  return {
    dead: names.filter((name) => name !== instance && isDead(readRecord(directory, name), own)),
    forget: (name) => rmSync(join(directory, name), { force: true }),
  };
}

function ownRecord(): ProcessRecord {
  return {
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
    pid: process.pid,
    startTicks: readProcess(process.pid)?.startTicks ?? 0,
  };
}

function readRecord(directory: string, name: string): ProcessRecord | undefined {
  try {
    return RecordSchema.parse(JSON.parse(readFileSync(join(directory, name), 'utf8')));
  } catch {
    // Half written by one that was killed meanwhile: who it was is not known.
    return undefined;
  }
}

function isDead(record: ProcessRecord | undefined, own: ProcessRecord): boolean {
  if (record === undefined) return false;
  if (record.boot !== own.boot) return true;
  if (record.namespace !== own.namespace) return false;
  const now = readProcess(record.pid);
  return now?.startTicks !== record.startTicks || now.state === 'Z';
}
