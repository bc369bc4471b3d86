/** Attempts on files: what belongs to other tasks, to the launcher, to the host; and writes where nothing may be written. */
import type { Probe } from '../probe.ts';

const READ = `
my ($path) = @ARGV;
open(my $file, '<', $path) or refused();
print readline $file;`;

const READ_THROUGH_LINK = `
my ($path) = @ARGV;
my $link = "/tmp/link-$$";
symlink($path, $link) or refused();
open(my $file, '<', $link) or refused();
print readline $file;`;

const HARD_LINK = `
my ($path, $name) = @ARGV;
link($path, $name) or refused();
open(my $file, '<', $name) or refused();
print readline $file;`;

const WRITE = `
my $wrote = '';
for my $path (@ARGV) {
  if (open(my $file, '>', "$path/written")) { print $file "x"; $wrote .= " $path"; }
}
through($wrote) if $wrote;
refused();`;

const LIST = `
my ($path) = @ARGV;
opendir(my $directory, $path) or refused();
print map { "$_\\n" } readdir $directory;`;

export const FILE_PROBES: readonly Probe[] = [
  {
    tries: "reads another task's files",
    script: READ,
    args: (world) => [world.otherTask],
    refusal: /No such file/,
    twin: { without: 'mounts' },
  },
  {
    tries: "lists the launcher's state directory",
    script: LIST,
    args: (world) => [world.stateDir],
    refusal: /No such file/,
    twin: { without: 'mounts' },
  },
  {
    tries: "reads the App's key",
    script: READ,
    args: (world) => [world.keyFile],
    refusal: /No such file/,
    twin: { without: 'mounts' },
  },
  {
    tries: "reads the App's key through a link of its own",
    script: READ_THROUGH_LINK,
    args: (world) => [world.keyFile],
    refusal: /No such file/,
    twin: { without: 'mounts' },
  },
  {
    tries: "gives the App's key a second name",
    script: HARD_LINK,
    args: (world) => [world.keyFile, '/tmp/second-name'],
    refusal: /No such file/,
    twin: { on: 'host', args: (world) => [world.keyFile, `${world.keyFile}-second-name`] },
  },
  {
    tries: 'leaves by the root of the first process',
    script: READ,
    args: (world) => [`/proc/1/root/../../..${world.keyFile}`],
    refusal: /No such file|Permission denied/,
    twin: { on: 'host', args: (world) => [`/proc/self/root/../../..${world.keyFile}`] },
  },
  {
    tries: 'writes outside its own directories',
    script: WRITE,
    args: () => ['/', '/etc', '/usr', '/usr/bin', '/dev', '/proc', '/sys', '/in', '/var'],
    refusal: /Read-only file system|Permission denied|No such file/,
    twin: { without: 'read_only_root', args: () => ['/etc'] },
  },
  {
    tries: 'writes into the directory of the host that holds it',
    script: WRITE,
    args: (world) => [world.directory],
    refusal: /No such file/,
    twin: { on: 'host' },
  },
];
