/** Attempts to use up the host: each ends as its limit says, and the same program ends well where the limit is higher. */
import type { SandboxLimits } from '../../services/worker-launcher/src/launcher/sandbox/driver.ts';
import { MIB } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';

export interface Bomb {
  tries: string;
  /** `perl` or `sh`; `/m` is a directory of the host that it may write. Prints `survived` where it is let. */
  program: { perl: string } | { sh: string };
  limits: Partial<SandboxLimits>;
  /** How it ends; `refused` where the kernel says no and the program says so. */
  ends: readonly string[];
  /** What the program prints when it is refused rather than ended. */
  says?: RegExp;
  /** The limits under which it survives. */
  twin: Partial<SandboxLimits>;
}

const FORK = `
my @children;
for (1 .. 150) { my $pid = fork(); die "refused: $!\\n" unless defined $pid; if (!$pid) { sleep 30; exit } push @children, $pid }
select(undef, undef, undef, 0.5); kill 'KILL', @children; print "survived\\n";`;

// Asks again whenever it is refused; the first is content when all 127 others are there.
const DOUBLE = `
my $first = $$; $SIG{TERM} = 'IGNORE'; pipe(my $there, my $here);
for (1 .. 7) { while (!defined fork()) { select(undef, undef, undef, 0.01) } }
if ($$ != $first) { syswrite($here, 'x'); sleep 30; exit }
for (1 .. 127) { sysread($there, my $one, 1) }
print "survived\\n";`;

const HOLD = (mib: number): string =>
  `my $held = 'x' x (${mib} * 1048576); select(undef, undef, undef, 0.6); print "survived\\n";`;

const HOLD_BY_MANY = `
my @children;
for (1 .. 6) { my $pid = fork(); if (!$pid) { my $held = 'x' x (40 * 1048576); sleep 30; exit } push @children, $pid }
select(undef, undef, undef, 1); kill 'KILL', @children; print "survived\\n";`;

const SHARED_FILES = `
for my $n (1 .. 12) { open(my $file, '>', "/tmp/$n") or die; print $file 'x' x (10 * 1048576) or die "refused: $!\\n"; close $file or die "refused: $!\\n" }
print "survived\\n";`;

const WRITE = (mib: number): string => `
for my $n (1 .. ${mib}) { open(my $file, '>', "/m/$n") or die "refused: $!\\n"; print $file 'x' x 1048576; close $file; select(undef, undef, undef, 0.02) }
unlink glob '/m/*'; print "survived\\n";`;

const ONE_FILE = `
$SIG{XFSZ} = 'IGNORE';
open(my $file, '>', '/m/big') or die;
for (1 .. 8) { syswrite($file, 'x' x 1048576) // die "refused: $!\\n" }
close $file; unlink '/m/big'; print "survived\\n";`;

const OPEN_FILES = `
my @held;
for (1 .. 200) { open(my $file, '<', '/dev/null') or die "refused: $!\\n"; push @held, $file }
print "survived\\n";`;

const SPARSE = `
$SIG{XFSZ} = 'IGNORE';
open(my $file, '>', '/m/sparse') or die;
truncate($file, 10 * 1048576) or die "refused: $!\\n";
unlink '/m/sparse'; print "survived\\n";`;

export const BOMBS: readonly Bomb[] = [
  {
    tries: 'starts more processes than it may',
    program: { perl: FORK },
    limits: { processes: 60 },
    ends: ['process_limit', 'exited'],
    says: /Resource temporarily unavailable/,
    twin: { processes: 400 },
  },
  {
    tries: 'starts processes that start processes',
    program: { perl: DOUBLE },
    limits: { processes: 60, wallMs: 1_500 },
    ends: ['process_limit', 'timed_out'],
    twin: { processes: 400 },
  },
  {
    tries: 'holds more memory than it may',
    program: { perl: HOLD(160) },
    limits: { memoryBytes: 100 * MIB },
    ends: ['memory_limit'],
    twin: { memoryBytes: 500 * MIB },
  },
  {
    tries: 'holds more memory than it may in several processes',
    program: { perl: HOLD_BY_MANY },
    limits: { memoryBytes: 128 * MIB },
    ends: ['memory_limit'],
    twin: { memoryBytes: 600 * MIB },
  },
  {
    tries: 'fills its scratch space',
    program: { perl: SHARED_FILES },
    limits: { memoryBytes: 160 * MIB },
    ends: ['exited', 'memory_limit'],
    says: /No space left/,
    twin: { memoryBytes: 512 * MIB },
  },
  {
    tries: 'fills the disk',
    program: { perl: WRITE(120) },
    limits: { diskBytes: 20 * MIB },
    ends: ['disk_limit'],
    twin: { diskBytes: 400 * MIB },
  },
  {
    tries: 'writes one file larger than it may',
    program: { perl: ONE_FILE },
    limits: { fileBytes: 2 * MIB },
    ends: ['exited'],
    says: /File too large/,
    twin: { fileBytes: 64 * MIB },
  },
  {
    tries: 'makes a sparse file larger than it may',
    program: { perl: SPARSE },
    limits: { fileBytes: 2 * MIB },
    ends: ['exited'],
    says: /File too large/,
    twin: { fileBytes: 64 * MIB },
  },
  {
    tries: 'opens more files than it may',
    program: { perl: OPEN_FILES },
    limits: { openFiles: 64 },
    ends: ['exited'],
    says: /Too many open files/,
    twin: { openFiles: 512 },
  },
  {
    tries: 'floods its output',
    program: { sh: 'head -c 12000000 /dev/zero; echo survived' },
    limits: { outputBytes: 1 * MIB },
    ends: ['output_limit'],
    twin: { outputBytes: 32 * MIB },
  },
  {
    tries: 'ignores the signal to end',
    program: {
      sh: "trap '' TERM HUP INT; i=0; while [ $i -lt 15 ]; do sleep 0.1; i=$((i+1)); done; echo survived",
    },
    limits: { wallMs: 500, graceMs: 200 },
    ends: ['timed_out'],
    twin: { wallMs: 20_000 },
  },
];
