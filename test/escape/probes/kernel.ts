/** Attempts on the kernel: privileges, namespaces, devices, settings, keys, and calls that are known for their holes. */
import { CALLS } from '../calls.ts';
import type { Probe } from '../probe.ts';

const MOUNT = `
my ($what, $where, $type) = ('none', '/tmp', 'tmpfs');
refused() if syscall(${CALLS.mount}, $what, $where, $type, 0, 0) < 0;
through('mounted');`;

const CHROOT = `
my $where = '/tmp';
refused() if syscall(${CALLS.chroot}, $where) < 0;
through('changed');`;

const RENAME_HOST = `
my $name = 'taken';
refused() if syscall(${CALLS.sethostname}, $name, 5) < 0;
through('renamed');`;

const NAMESPACE = `
refused() if syscall(${CALLS.unshare}, 0x10000000) < 0;
through('made');`;

// Started and never answered: what counts is as whom it runs.
const SET_USER_ID = `
pipe(my $reading, my $writing);
my $pid = fork();
if ($pid == 0) {
  close $writing; open(STDIN, '<&', $reading); open(STDERR, '>', '/dev/null'); open(STDOUT, '>', '/dev/null');
  exec '/usr/bin/su', '-c', 'true', 'root'; exit 1;
}
my $seen = '';
for (1 .. 400) {
  select(undef, undef, undef, 0.002);
  open(my $file, '<', "/proc/$pid/status") or last;
  my $text = join '', readline $file;
  next unless $text =~ /^Name:\\s+su$/m && $text =~ /^Uid:\\s+(\\d+)\\s+(\\d+)/m;
  $seen = "runs as $2";
  if ($1 != $2) { kill 'KILL', $pid; through($seen) }
}
kill 'KILL', $pid;
print "refused: $seen, as who started it\\n";`;

const NODE = `
my ($kind, $major, $minor) = @ARGV;
my $path = "/tmp/node-$$";
my $made = system('/usr/bin/mknod', $path, $kind, $major, $minor) == 0;
unlink $path;
through('made') if $made;
print "refused\\n";`;

const OPEN = `
my $opened = '';
for my $path (@ARGV) { $opened .= " $path" if sysopen(my $file, $path, 1) }
through($opened) if $opened;
refused();`;

const TERMINAL = `
sysopen(my $terminal, '/dev/tty', 2) or refused();
my $character = 'x';
ioctl($terminal, 0x5412, $character);
through('opened');`;

// On what is no terminal the kernel says so, unless it is not asked at all.
const TERMINAL_REQUEST = `
pipe(my $reading, my $writing);
my $character = 'x';
ioctl($reading, 0x5412, $character);
through('asked') if $! == 25;
refused();`;

const KEYRING = `
my $ring = syscall(${CALLS.keyctl}, 0, -3, 1);
refused() if $ring < 0;
through('has one');`;

const IO_URING = `
my $parameters = "\\0" x 120;
refused() if syscall(${CALLS.io_uring_setup}, 4, $parameters) < 0;
through('set up');`;

// A kernel that is asked finds fault with the arguments; a filter does not look at them.
const BAD_ARGUMENTS = `
my ($call) = @ARGV;
my $nothing = "\\0" x 8;
syscall($call + 0, 0x7fffffff, 0, 0, 0, 0);
through('asked') if $! == 14 || $! == 22 || $! == 7 || $! == 9;
refused();`;

const READ_ONLY = /Read-only file system|Permission denied|No such file/;

export const KERNEL_PROBES: readonly Probe[] = [
  {
    tries: 'mounts a file system',
    script: MOUNT,
    args: () => [],
    refusal: /Operation not permitted/,
    twin: { on: 'own_root' },
  },
  {
    tries: 'changes its root',
    script: CHROOT,
    args: () => [],
    refusal: /Operation not permitted/,
    twin: { on: 'own_root' },
  },
  {
    tries: 'changes the name of the host',
    script: RENAME_HOST,
    args: () => [],
    refusal: /Operation not permitted/,
    twin: { on: 'own_root' },
  },
  {
    tries: 'makes a user namespace of its own',
    script: NAMESPACE,
    args: () => [],
    refusal: /Operation not permitted|No space left/,
    twin: { without: 'namespaces' },
  },
  {
    tries: 'runs a set-user-id program',
    script: SET_USER_ID,
    args: () => [],
    refusal: /runs as \d+, as who started it/,
    twin: { on: 'ordinary_user' },
  },
  {
    tries: "makes a node for the host's disk",
    script: NODE,
    args: () => ['b', '8', '0'],
    refusal: /Operation not permitted/,
    // The number that stands for a deletion is anybody's to make.
    twin: { on: 'host', args: () => ['c', '0', '0'] },
  },
  {
    tries: 'opens devices of the host',
    script: OPEN,
    args: () => [
      ...['/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/fuse', '/dev/kvm'],
      ...['/dev/vsock', '/dev/net/tun', '/dev/loop-control', '/dev/uinput'],
    ],
    refusal: /No such file|Permission denied|Operation not permitted/,
    twin: { on: 'host', args: () => ['/dev/null'] },
  },
  {
    tries: 'writes settings of the kernel',
    script: OPEN,
    args: () => [
      ...['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sysrq-trigger'],
      ...['/proc/sys/net/ipv4/ip_forward', '/proc/sys/user/max_user_namespaces'],
      '/proc/sys/kernel/hostname',
    ],
    refusal: READ_ONLY,
    twin: { on: 'own_root', args: () => ['/proc/sys/net/ipv4/ip_forward'] },
  },
  {
    tries: 'writes into /sys and its control groups',
    script: OPEN,
    args: () => [
      ...['/sys/kernel/mm/transparent_hugepage/enabled', '/sys/fs/cgroup/cgroup.procs'],
      ...['/sys/fs/cgroup/pids/cgroup.procs', '/sys/fs/cgroup/memory/cgroup.procs'],
      ...['/sys/fs/cgroup/memory/memory.limit_in_bytes', '/sys/fs/cgroup/pids/pids.max'],
    ],
    refusal: READ_ONLY,
    twin: { on: 'host', args: (world) => [world.keyFile] },
  },
  {
    tries: 'types into the terminal of whoever started it',
    script: TERMINAL,
    args: () => [],
    refusal: /No such device/,
    twin: { on: 'terminal' },
  },
  {
    tries: "reaches the kernel's keyrings",
    script: KEYRING,
    args: () => [],
    refusal: /Operation not permitted/,
    twin: { without: 'filter' },
  },
  {
    tries: 'sets up an io_uring',
    script: IO_URING,
    args: () => [],
    refusal: /Function not implemented|Operation not permitted/,
    twin: { without: 'filter' },
  },
  {
    tries: 'calls bpf',
    script: BAD_ARGUMENTS,
    args: () => [String(CALLS.bpf)],
    refusal: /Operation not permitted/,
    twin: { without: 'filter' },
  },
  {
    tries: 'calls perf_event_open',
    script: BAD_ARGUMENTS,
    args: () => [String(CALLS.perf_event_open)],
    refusal: /Operation not permitted/,
    twin: { without: 'filter' },
  },
];

/** What only a filter of the driver's own refuses: to terminals that are not the sandbox's there is no way anyhow. */
export const FILTERED_PROBE: Probe = {
  tries: 'pushes characters into a terminal',
  script: TERMINAL_REQUEST,
  args: () => [],
  refusal: /Operation not permitted/,
  twin: { without: 'filter' },
};
