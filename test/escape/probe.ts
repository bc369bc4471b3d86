/**
 * What an attempt to get out of a sandbox is: a small program with the refusal that it must meet, and a twin, the same
 * program with one wall taken away, which shows that the attempt works. Without its twin a refusal proves nothing: a
 * program that is broken gets nowhere either.
 */
import type { World } from './world.ts';

export const KINDS = ['files', 'processes', 'network', 'kernel'] as const;
export type ProbeKind = (typeof KINDS)[number];

/** What a driver can leave out of its wall for a twin. */
export const WALLS = [
  'network',
  'processes',
  'mounts',
  'environment',
  'filter',
  'namespaces',
  'read_only_root',
] as const;
export type Wall = (typeof WALLS)[number];

export type Twin = (
  | { without: Wall }
  /** As the test's own user, without any wall. */
  | { on: 'host' }
  /** The same as a user who is not root. */
  | { on: 'ordinary_user' }
  /** As root of user, mount, network and host name namespaces of its own: what a capability would permit. */
  | { on: 'own_root' }
  /** As on the host, with a terminal. */
  | { on: 'terminal' }
) & {
  /** Other arguments, where those of the attempt would touch what the test did not make. */
  args?: (world: World) => string[];
};

export interface Probe {
  /** What is tried, as the end of "a hostile step …". */
  tries: string;
  /** Perl: every Debian has it, and it makes any system call. Prints THROUGH when it gets through. */
  script: string;
  args: (world: World) => string[];
  /** The words in which it is refused. */
  refusal: RegExp;
  twin: Twin;
}

/** Stands before every probe. */
const PRELUDE = `
use strict; use warnings;
$| = 1; $SIG{ALRM} = sub { print "refused: nobody answers\\n"; exit }; alarm 4;
sub through { print "THROUGH @_\\n"; exit }
sub refused { print "refused: $!\\n"; exit }
`;

export function programOf(probe: Probe): string {
  return `${PRELUDE}${probe.script}`;
}

/** Whether what a probe printed says that it got through. */
export function gotThrough(output: string): boolean {
  return output.includes('THROUGH');
}
