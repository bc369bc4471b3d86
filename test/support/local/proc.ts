/** Reads what the kernel says of a running process. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The environment that the process was started with. */
export function environmentOfPid(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

/** The lines of /proc/PID/status, by name. */
export function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/:\s*/, 2);
      return [name, value.trim()];
    }),
  );
}

/** Soft and hard limit of the size of a core dump. */
export function coreLimits(pid: number): string[] {
  const line = /^Max core file size\s+(\S+)\s+(\S+)/m.exec(
    readFileSync(`/proc/${pid}/limits`, 'utf8'),
  );
  return [line?.[1] ?? '', line?.[2] ?? ''];
}

/** The TCP ports that the process itself listens on. */
export function listeningPorts(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/\s+/))
      .filter((row) => row[3] === '0A' && sockets.has(row[9] ?? ''))
      .map((row) => Number.parseInt(row[1]?.split(':')[1] ?? '', 16)),
  );
}
