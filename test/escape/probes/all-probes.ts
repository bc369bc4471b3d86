/** Every attempt, by what it is aimed at. */
import type { Probe, ProbeKind } from '../probe.ts';
import { FILE_PROBES } from './files.ts';
import { KERNEL_PROBES } from './kernel.ts';
import { NETWORK_PROBES } from './network.ts';
import { PROCESS_PROBES } from './processes.ts';

export const PROBES: Readonly<Record<ProbeKind, readonly Probe[]>> = {
  files: FILE_PROBES,
  processes: PROCESS_PROBES,
  network: NETWORK_PROBES,
  kernel: KERNEL_PROBES,
};
