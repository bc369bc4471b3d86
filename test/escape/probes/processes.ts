/** Attempts on processes outside: their environment, their memory, their lives. The victim is a process of the test's. */
import { CALLS } from '../calls.ts';
import type { Probe } from '../probe.ts';

const SEARCH = `
my $seen = 0;
for my $process (@ARGV ? map { "/proc/$_" } @ARGV : glob '/proc/[0-9]*') {
  for my $name ('environ', 'cmdline') {
    open(my $file, '<', "$process/$name") or next;
    local $/; my $text = readline $file; $seen++;
    print "$&\\n" if defined $text && $text =~ /THROUGH-[0-9a-f]{16}/;
  }
}
print "nothing found in $seen files\\n";`;

const READ_ENVIRONMENT = `
my ($pid) = @ARGV;
open(my $file, '<', "/proc/$pid/environ") or refused();
local $/; print readline $file;`;

const READ_MEMORY_FILE = `
my ($pid, $address) = @ARGV;
open(my $memory, '+<', "/proc/$pid/mem") or refused();
sysseek($memory, $address, 0) or refused();
sysread($memory, my $bytes, 64) or refused();
print $bytes;`;

const READ_MEMORY = `
my ($pid, $address) = @ARGV;
my $bytes = "\\0" x 64;
my $local = pack('JJ', unpack('J', pack('p', $bytes)), 64);
my $remote = pack('JJ', $address, 64);
my $read = syscall(${CALLS.process_vm_readv}, $pid + 0, $local, 1, $remote, 1, 0);
refused() if $read < 0;
print $bytes;`;

const ATTACH = `
my ($pid) = @ARGV;
refused() if syscall(${CALLS.ptrace}, 16, $pid + 0, 0, 0) < 0;
waitpid($pid, 0x40000000);
syscall(${CALLS.ptrace}, 17, $pid + 0, 0, 0);
through('attached');`;

const SIGNAL = `
my ($pid) = @ARGV;
kill('USR1', $pid) or refused();
through('signalled');`;

const OPEN_PROCESS = `
my ($pid) = @ARGV;
my $handle = syscall(${CALLS.pidfd_open}, $pid + 0, 0);
refused() if $handle < 0;
through('opened');`;

const NONE = /No such process|No such file|Operation not permitted/;

export const PROCESS_PROBES: readonly Probe[] = [
  {
    tries: 'looks for a secret in the environment and the command line of every process',
    script: SEARCH,
    args: () => [],
    refusal: /nothing found in [1-9]/,
    twin: { on: 'host', args: (world) => [String(world.victim.pid)] },
  },
  {
    tries: 'looks for a secret in its own environment',
    script: SEARCH,
    args: () => ['self'],
    refusal: /nothing found in 2/,
    twin: { without: 'environment' },
  },
  {
    tries: "reads the launcher's environment",
    script: READ_ENVIRONMENT,
    args: (world) => [String(world.launcherPid)],
    refusal: NONE,
    twin: { on: 'host', args: (world) => [String(world.victim.pid)] },
  },
  {
    tries: 'reads the memory of a process outside through its file',
    script: READ_MEMORY_FILE,
    args: ({ victim }) => [String(victim.pid), victim.address],
    refusal: NONE,
    twin: { on: 'host' },
  },
  {
    tries: 'reads the memory of a process outside by a system call',
    script: READ_MEMORY,
    args: ({ victim }) => [String(victim.pid), victim.address],
    refusal: NONE,
    twin: { on: 'host' },
  },
  {
    tries: 'traces a process outside',
    script: ATTACH,
    args: ({ victim }) => [String(victim.pid)],
    refusal: NONE,
    twin: { on: 'host' },
  },
  {
    tries: 'signals a process outside',
    script: SIGNAL,
    args: ({ victim }) => [String(victim.pid)],
    refusal: NONE,
    twin: { without: 'processes' },
  },
  {
    tries: 'takes hold of a process outside by a descriptor',
    script: OPEN_PROCESS,
    args: ({ victim }) => [String(victim.pid)],
    refusal: NONE,
    twin: { without: 'processes' },
  },
];
