/** The numbers of the system calls that probes make, on this machine's architecture. */
const X64 = {
  ptrace: 101,
  chroot: 161,
  mount: 165,
  sethostname: 170,
  keyctl: 250,
  unshare: 272,
  perf_event_open: 298,
  process_vm_readv: 310,
  bpf: 321,
} as const;
const ARM64: Record<keyof typeof X64, number> = {
  ptrace: 117,
  chroot: 51,
  mount: 40,
  sethostname: 161,
  keyctl: 219,
  unshare: 97,
  perf_event_open: 241,
  process_vm_readv: 270,
  bpf: 280,
};
const LATER = { io_uring_setup: 425, pidfd_open: 434 } as const;

export const CALLS = { ...(process.arch === 'arm64' ? ARM64 : X64), ...LATER };
