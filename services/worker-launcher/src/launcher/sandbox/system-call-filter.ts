/**
 * What the programs of a sandbox may not ask of the kernel: what no namespace divides (keyrings, sockets to the hypervisor,
 * the kernel's log), what is known for its holes, and memory that no count of processes shows. A filter of the kernel's
 * own kind, assembled here so that no library is needed; bubblewrap puts it on last.
 */

/** Numbers by architecture: they are the kernel's and never change. */
const ARCHITECTURES = {
  x64: {
    audit: 0xc000_003e,
    calls: {
      ioctl: 16,
      shmget: 29,
      socket: 41,
      msgget: 68,
      syslog: 103,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      perf_event_open: 298,
      memfd_create: 319,
      bpf: 321,
      userfaultfd: 323,
    },
  },
  arm64: {
    audit: 0xc000_00b7,
    calls: {
      ioctl: 29,
      shmget: 194,
      socket: 198,
      msgget: 186,
      syslog: 116,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      perf_event_open: 241,
      memfd_create: 279,
      bpf: 280,
      userfaultfd: 282,
    },
  },
} as const;
/** Later calls have one number everywhere. */
const COMMON_CALLS = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  memfd_secret: 447,
} as const;

const FORBIDDEN = [
  'add_key',
  'request_key',
  'keyctl',
  'perf_event_open',
  'bpf',
  'userfaultfd',
  'syslog',
] as const;
/** Said not to exist, so that programs fall back to what they did before there were these. */
const HIDDEN = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'memfd_secret'] as const;
const HIDDEN_WHERE_MEMORY_IS_SAMPLED = ['memfd_create', 'msgget'] as const;

/** Unix, IPv4, IPv6, netlink: those that belong to the network namespace. Sockets to a hypervisor do not. */
const SOCKET_FAMILIES = [1, 2, 10, 16] as const;
/** Characters pushed into a terminal as if typed, and the console's own menu of the like. */
const TERMINAL_REQUESTS = [0x5412, 0x541c] as const;
/** Enough for what a database locks its directory with. */
const SHARED_SEGMENT_BYTES = 64 * 1024;
/** On x64 the numbers of the 32-bit ABI that shares the architecture begin here; elsewhere there are none. */
const FIRST_X32_CALL = 0x4000_0000;

const EPERM = 1;
const ENOSPC = 28;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const AT_CALL = 0;
const AT_ARCHITECTURE = 4;
/** Arguments are 64 bits wide; of those looked at the kernel itself reads the lower half, but for sizes. */
const atArgument = (index: number): number => 16 + 8 * index;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const refuse = (errno: number): number => 0x0005_0000 | errno;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

export interface FilterOptions {
  /** Also forbids what holds memory of no process: where only processes are counted it would have no bound. */
  memoryIsSampled: boolean;
}

/** The filter for this machine, as the kernel reads it; undefined for an architecture that is not known here. */
export function systemCallFilter(
  { memoryIsSampled }: FilterOptions,
  architecture: string = process.arch,
): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { audit, calls } = ARCHITECTURES[architecture];
  const numbers = { ...calls, ...COMMON_CALLS };
  const hidden = memoryIsSampled ? [...HIDDEN, ...HIDDEN_WHERE_MEMORY_IS_SAMPLED] : HIDDEN;
  return encode([
    [LOAD, 0, 0, AT_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, refuse(ENOSYS)],
    [LOAD, 0, 0, AT_CALL],
    [JUMP_AT_LEAST, 0, 1, FIRST_X32_CALL],
    [RETURN, 0, 0, refuse(ENOSYS)],
    ...FORBIDDEN.flatMap((name) => whenCalled(numbers[name], [[RETURN, 0, 0, refuse(EPERM)]])),
    ...hidden.flatMap((name) => whenCalled(numbers[name], [[RETURN, 0, 0, refuse(ENOSYS)]])),
    ...whenCalled(numbers.socket, onlyFamilies()),
    ...whenCalled(numbers.ioctl, notToTerminals()),
    ...(memoryIsSampled ? whenCalled(numbers.shmget, onlySmallSegments()) : []),
    [RETURN, 0, 0, ALLOW],
  ]);
}

function whenCalled(number: number, then: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, then.length, number], ...then];
}

function onlyFamilies(): Instruction[] {
  const count = SOCKET_FAMILIES.length;
  return [
    [LOAD, 0, 0, atArgument(0)],
    ...SOCKET_FAMILIES.map((family, i): Instruction => [JUMP_EQUAL, count - i, 0, family]),
    [RETURN, 0, 0, refuse(EAFNOSUPPORT)],
    [RETURN, 0, 0, ALLOW],
  ];
}

function notToTerminals(): Instruction[] {
  const count = TERMINAL_REQUESTS.length;
  return [
    [LOAD, 0, 0, atArgument(1)],
    ...TERMINAL_REQUESTS.map((request, i): Instruction => [JUMP_EQUAL, count - i, 0, request]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, refuse(EPERM)],
  ];
}

function onlySmallSegments(): Instruction[] {
  return [
    [LOAD, 0, 0, atArgument(1) + 4],
    [JUMP_EQUAL, 0, 3, 0],
    [LOAD, 0, 0, atArgument(1)],
    [JUMP_GREATER, 1, 0, SHARED_SEGMENT_BYTES],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, refuse(ENOSPC)],
  ];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  });
  return bytes;
}
