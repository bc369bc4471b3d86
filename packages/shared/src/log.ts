/**
 * Structured logs on standard output, one JSON object a line, in which no credential can appear: values under known
 * names are removed, and every string is scrubbed of token, key and model-key shapes before it is written.
 */
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';
import { scrubSecrets } from './scrub.ts';

export type { Logger };

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRET_NAMES = [
  'token',
  'privateKey',
  'secret',
  'password',
  'authorization',
  'cookie',
  'apiKey',
  'ticket',
];

/** Creates the logger of one process. `destination` defaults to standard output. */
export function createLogger(
  service: string,
  level: LogLevel,
  destination?: DestinationStream,
): Logger {
  const out: DestinationStream = destination ?? pino.destination(1);
  // The last edge before the bytes leave: whatever was logged, by us or by a library, passes through here.
  const scrubbed: DestinationStream = { write: (line) => out.write(scrubSecrets(line)) };
  return pino(
    {
      name: service,
      level,
      redact: {
        paths: SECRET_NAMES.flatMap((n) => [n, `*.${n}`, `*.*.${n}`]),
        censor: '[redacted]',
      },
      serializers: { err: (error: unknown) => withoutArguments(error, 0) },
    },
    scrubbed,
  );
}

const DEEPEST = 4;

/** An error of Redis carries the command that failed, and the first command of a connection has the password among its arguments. */
function withoutArguments(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  if (value instanceof Error) return withoutArguments(stdSerializers.err(value), depth + 1);
  if (Array.isArray(value)) return value.map((one) => withoutArguments(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'command' ? nameOf(inner) : withoutArguments(inner, depth + 1),
    ]),
  );
}

function nameOf(command: unknown): unknown {
  return typeof command === 'object' && command !== null && 'name' in command
    ? command.name
    : undefined;
}
