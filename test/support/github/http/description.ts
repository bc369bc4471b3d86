/**
 * Holds requests and replies against GitHub's own API description. What does not fit is recorded as a violation and never
 * stops the exchange: a test sees both the answer and, at its end, everything that was wrong on the way.
 */
import { readFileSync } from 'node:fs';
import { OpenAPIBackend, type Document, type Operation } from 'openapi-backend';

type ErrorObject = NonNullable<
  ReturnType<OpenAPIBackend['validator']['validateRequest']>['errors']
>[number];

const DESCRIPTION = new URL('../../../fixtures/github-api/openapi-subset.json', import.meta.url);
const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value),
  uri: (value) => URL.canParse(value),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(value),
};

/** GitHub gives null for these when a fork was deleted, although its description says otherwise. */
const NULL_IN_PRACTICE = /\/head\/(?:label|repo|user)$/;

export interface Exchange {
  readonly method: string;
  /** The path as in the description, with braces. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined when the request had no body. */
  readonly body: unknown;
}

export interface Description {
  /** Whether GitHub's description knows the operation. */
  has(method: string, path: string): boolean;
  /** What is wrong with a request; empty when nothing is. */
  checkRequest(exchange: Exchange): unknown[];
  /** What is wrong with a reply; empty when nothing is. */
  checkReply(method: string, path: string, status: number, body: unknown): unknown[];
}

/** Nullable fields whose list of values lacks null: GitHub gives null there, and every such reply would fail. */
function allowNullInEnums(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { nullable, enum: values } = schema as { nullable?: unknown; enum?: unknown };
  if (nullable === true && Array.isArray(values) && !values.includes(null)) values.push(null);
  for (const part of Object.values(schema)) allowNullInEnums(part);
}

let loaded: Promise<Description> | undefined;

/** The description, read once per process: compiling its schemas is the dearest thing that the stand-in does. */
export function loadDescription(): Promise<Description> {
  loaded ??= readDescription();
  return loaded;
}

async function readDescription(): Promise<Description> {
  const definition = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as Document;
  allowNullInEnums(definition);
  const backend = new OpenAPIBackend({
    definition,
    quick: true,
    coerceTypes: true,
    customizeAjv: (ajv) => {
      for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, validate);
      return ajv;
    },
    ajvOpts: { logger: false, verbose: true },
  });
  await backend.init();
  const operations = new Map<string, Operation>(
    backend.router
      .getOperations()
      .map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation]),
  );
  return {
    has: (method, path) => operations.has(`${method} ${path}`),
    checkRequest: (exchange) =>
      checkRequest(backend, operations.get(`${exchange.method} ${exchange.path}`), exchange),
    checkReply: (method, path, status, body) =>
      checkReply(backend, operations.get(`${method} ${path}`), status, body),
  };
}

function checkRequest(
  backend: OpenAPIBackend,
  operation: Operation | undefined,
  exchange: Exchange,
): unknown[] {
  if (!operation) return [];
  const path = exchange.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(exchange.params[name] ?? ''),
  );
  const result = backend.validator.validateRequest(
    {
      method: exchange.method,
      path,
      query: { ...exchange.query },
      headers: { ...exchange.headers },
      ...(exchange.body === undefined ? {} : { body: exchange.body }),
    },
    operation,
  );
  return (result.errors ?? []).map(problemOf);
}

function problemOf(error: ErrorObject): unknown {
  const { instancePath, keyword, message, params } = error;
  return { instancePath, keyword, message, params };
}

/** Where GitHub's own replies are known to differ from its description. */
function isKnownDeviation(error: ErrorObject): boolean {
  return NULL_IN_PRACTICE.test(error.instancePath) && error.data === null;
}

function checkReply(
  backend: OpenAPIBackend,
  operation: Operation | undefined,
  status: number,
  body: unknown,
): unknown[] {
  if (!operation) return [];
  if (status >= 400) {
    const message =
      typeof body === 'object' && body !== null
        ? (body as Record<string, unknown>)['message']
        : undefined;
    return typeof message === 'string'
      ? []
      : [{ message: `an error reply must carry a message, status ${status}` }];
  }
  if (status >= 300) return [];
  if (!(String(status) in (operation.responses ?? {})))
    return [{ message: `status ${status} is not in the description` }];
  const errors = backend.validator.validateResponse(body ?? null, operation, status).errors ?? [];
  return errors.filter((error) => !isKnownDeviation(error)).map(problemOf);
}
