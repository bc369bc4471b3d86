import { expect, test } from 'vitest';
import { systemCallFilter } from './system-call-filter.ts';

const ALLOWED = 0x7fff_0000;
const refused = (errno: number): number => 0x0005_0000 | errno;
const [EPERM, ENOSPC, ENOSYS, EAFNOSUPPORT] = [1, 28, 38, 97];

interface Called {
  nr: number;
  arch?: number;
  args?: readonly bigint[];
}

/** Runs a filter as the kernel does, over what it is given of a call. */
function judge(filter: Buffer, { nr, arch = 0xc000_003e, args = [] }: Called): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(nr, 0);
  data.writeUInt32LE(arch, 4);
  args.forEach((value, i) => data.writeBigUInt64LE(value, 16 + 8 * i));
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, ifTrue, ifFalse, value] = [
      filter.readUInt16LE(at * 8),
      filter.readUInt8(at * 8 + 2),
      filter.readUInt8(at * 8 + 3),
      filter.readUInt32LE(at * 8 + 4),
    ];
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse;
    else if (code === 0x25) at += accumulator > value ? ifTrue : ifFalse;
    else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error('the filter ends without a verdict');
}

function filterFor(memoryIsSampled: boolean, architecture = 'x64'): Buffer {
  const filter = systemCallFilter({ memoryIsSampled }, architecture);
  if (filter === undefined) throw new Error('there is no filter');
  return filter;
}

const plain = filterFor(false);
const sampled = filterFor(true);

test.each([
  ['reading', { nr: 0 }, ALLOWED],
  ['keyctl', { nr: 250 }, refused(EPERM)],
  ['bpf', { nr: 321 }, refused(EPERM)],
  ['io_uring_setup', { nr: 425 }, refused(ENOSYS)],
  ['a call of the 32-bit numbering', { nr: 0x4000_0000 }, refused(ENOSYS)],
  ['a call of another architecture', { nr: 0, arch: 0x4000_0003 }, refused(ENOSYS)],
  ['a unix socket', { nr: 41, args: [1n] }, ALLOWED],
  ['an IPv4 socket', { nr: 41, args: [2n] }, ALLOWED],
  ['an IPv6 socket', { nr: 41, args: [10n] }, ALLOWED],
  ['a netlink socket', { nr: 41, args: [16n] }, ALLOWED],
  ['a socket to the hypervisor', { nr: 41, args: [40n] }, refused(EAFNOSUPPORT)],
  [
    'the same with a bit that the kernel ignores',
    { nr: 41, args: [40n | (1n << 40n)] },
    refused(EAFNOSUPPORT),
  ],
  ['a question to a terminal', { nr: 16, args: [0n, 0x5401n] }, ALLOWED],
  ['typing into a terminal', { nr: 16, args: [0n, 0x5412n] }, refused(EPERM)],
  [
    'the same with a bit that the kernel ignores',
    { nr: 16, args: [0n, 0x5412n | (1n << 32n)] },
    refused(EPERM),
  ],
])('%s is judged alike, whatever bounds memory', (_, called: Called, verdict) => {
  expect([judge(plain, called), judge(sampled, called)]).toEqual([verdict, verdict]);
});

test.each([
  ['a memory file', { nr: 319 }, refused(ENOSYS)],
  ['a message queue', { nr: 68 }, refused(ENOSYS)],
  ['a small shared segment', { nr: 29, args: [0n, 65_536n] }, ALLOWED],
  ['a large shared segment', { nr: 29, args: [0n, 65_537n] }, refused(ENOSPC)],
  ['a huge shared segment', { nr: 29, args: [0n, 1n << 32n] }, refused(ENOSPC)],
])('%s depends on whether the kernel bounds memory', (_, called: Called, whereSampled) => {
  expect([judge(plain, called), judge(sampled, called)]).toEqual([ALLOWED, whereSampled]);
});

test('arm64 has a filter of its own numbers, and an unknown architecture none', () => {
  const filter = filterFor(false, 'arm64');
  const arch = 0xc000_00b7;
  expect(judge(filter, { nr: 219, arch })).toBe(refused(EPERM));
  expect(judge(filter, { nr: 250, arch })).toBe(ALLOWED);
  expect(judge(filter, { nr: 198, arch, args: [40n] })).toBe(refused(EAFNOSUPPORT));
  expect(systemCallFilter({ memoryIsSampled: false }, 'riscv64')).toBeUndefined();
});
