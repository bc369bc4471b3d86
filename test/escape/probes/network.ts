/** Attempts on the network: addresses of the host and of the world, sockets with and without a path, names. */
import { existsSync } from 'node:fs';
import type { Probe } from '../probe.ts';
import type { World } from '../world.ts';

const CONNECT = `
use Socket;
my ($where, $port, $say) = @ARGV;
my $isPath = $where =~ m{^[/@]};
$where =~ s/^@/\\0/;
socket(my $socket, $isPath ? PF_UNIX : PF_INET, SOCK_STREAM, 0) or refused();
connect($socket, $isPath ? pack_sockaddr_un($where) : sockaddr_in($port, inet_aton($where))) or refused();
syswrite $socket, pack('H*', $say // '');
sysread $socket, my $answer, 64 or refused();
through('answered');`;

const TCP6 = `
use Socket qw(:all);
my ($host, $port) = @ARGV;
socket(my $socket, PF_INET6, SOCK_STREAM, 0) or refused();
connect($socket, pack_sockaddr_in6($port, inet_pton(AF_INET6, $host))) or refused();
sysread $socket, my $answer, 64 or refused();
through($answer);`;

const UDP = `
use Socket;
my ($host, $port, $say) = @ARGV;
if ($host eq 'resolv.conf') {
  open(my $file, '<', '/etc/resolv.conf') or refused();
  ($host) = map { /^nameserver\\s+([0-9.]+)/ ? $1 : () } readline $file;
  if (!defined $host) { print "refused: no nameserver\\n"; exit }
}
socket(my $socket, PF_INET, SOCK_DGRAM, 0) or refused();
connect($socket, sockaddr_in($port, inet_aton($host))) or refused();
defined(send($socket, pack('H*', $say), 0)) or refused();
defined(recv($socket, my $answer, 512, 0)) or refused();
through('answered');`;

const MAKE = `
my ($family, $type, $protocol) = @ARGV;
socket(my $socket, $family, $type, $protocol) or refused();
through('made');`;

const UNREACHABLE = /Network is unreachable|Connection refused|Cannot assign requested address/;
/** The question for the address of a name. */
const QUESTION = '123401000001000000000000076578616d706c6504746573740000010001';
/** Of a server that speaks HTTP, whether it is there. */
const GET = Buffer.from('GET /_ping HTTP/1.0\r\n\r\n').toString('hex');
const PING = '50494e470d0a';
/** Asks a PostgreSQL server whether it speaks TLS; it answers with one letter. */
const ASK_TLS = '0000000804d2162f';

const toListener = (world: World): string[] => ['127.0.0.1', String(world.tcpPort)];

/** An endpoint of the host, by a path or by an address. */
function serverProbe(what: string, args: (world: World) => string[]): Probe {
  return {
    tries: `connects to ${what}`,
    script: CONNECT,
    args,
    refusal: /No such file|Network is unreachable|Connection refused/,
    twin: { on: 'host' },
  };
}

export const NETWORK_PROBES: readonly Probe[] = [
  serverProbe("the host's Redis", ({ redis }) => [...redis, PING]),
  serverProbe("the host's Postgres", ({ postgres }) => [...postgres, ASK_TLS]),
  serverProbe("the engine's socket", ({ sockets }) => [sockets.engine, '-', GET]),
  serverProbe("the guard's socket", ({ sockets }) => [sockets.guard, '-', GET]),
  {
    tries: 'connects to a port of the host',
    script: CONNECT,
    args: toListener,
    refusal: UNREACHABLE,
    twin: { without: 'network' },
  },
  {
    tries: 'connects to a socket that has a name and no path',
    script: CONNECT,
    args: (world) => [`@${world.abstractName}`],
    refusal: UNREACHABLE,
    twin: { without: 'network' },
  },
  {
    tries: "asks the cloud's metadata address for credentials",
    script: CONNECT,
    args: () => ['169.254.169.254', '80'],
    refusal: UNREACHABLE,
    twin: { without: 'network', args: toListener },
  },
  {
    tries: 'connects to an address on the Internet by number',
    script: CONNECT,
    args: () => ['1.1.1.1', '443'],
    refusal: UNREACHABLE,
    twin: { without: 'network', args: toListener },
  },
  {
    tries: 'connects by IPv6 to the host',
    script: TCP6,
    args: (world) => ['::1', String(world.tcp6Port)],
    refusal: UNREACHABLE,
    twin: { without: 'network' },
  },
  {
    tries: 'connects by IPv6 to the Internet',
    script: TCP6,
    args: () => ['2606:4700:4700::1111', '443'],
    refusal: UNREACHABLE,
    twin: { without: 'network', args: (world) => ['::1', String(world.tcp6Port)] },
  },
  {
    tries: 'sends a datagram to the host',
    script: UDP,
    args: (world) => ['127.0.0.1', String(world.udpPort), '78'],
    refusal: UNREACHABLE,
    twin: { without: 'network' },
  },
  {
    tries: 'sends a datagram to the Internet',
    script: UDP,
    args: () => ['8.8.8.8', '53', QUESTION],
    refusal: UNREACHABLE,
    twin: { without: 'network', args: (world) => ['127.0.0.1', String(world.udpPort), '78'] },
  },
  {
    tries: 'asks the name server that its resolv.conf names',
    script: UDP,
    args: () => ['resolv.conf', '53', QUESTION],
    refusal: /Network is unreachable|Connection refused|no nameserver/,
    twin: {
      without: 'network',
      args: (world) => ['127.0.0.1', String(world.udpPort), QUESTION],
    },
  },
  {
    tries: 'makes a socket for raw IP packets',
    script: MAKE,
    args: () => ['2', '3', '1'],
    refusal: /Operation not permitted/,
    twin: { on: 'own_root' },
  },
  {
    tries: 'makes a socket for raw frames',
    script: MAKE,
    args: () => ['17', '3', '768'],
    refusal: /Operation not permitted|Address family not supported/,
    twin: { on: 'own_root' },
  },
  {
    tries: 'makes a socket to the hypervisor, which no network namespace divides',
    script: MAKE,
    args: () => ['40', '1', '0'],
    refusal: /Address family not supported|Operation not permitted/,
    // A machine without a hypervisor knows no such sockets at all.
    twin: { without: 'filter', args: () => [existsSync('/dev/vsock') ? '40' : '1', '1', '0'] },
  },
];
