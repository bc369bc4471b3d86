/** Processor time of this process: unlike wall time it does not grow because other processes run beside a test. */

/** Milliseconds of processor time that the work takes. */
export async function measureCpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** A megabyte of a repeated unit, on one line unless the unit holds a line end. */
export function megabyteOf(unit: string): string {
  const chars = 1024 * 1024;
  return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
}
