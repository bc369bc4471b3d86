/**
 * Sends deliveries as GitHub does: signed over the raw bytes, in either content type, never retried by itself, and given
 * up after ten seconds. Every attempt is kept, because the list of attempts is what a receiver reconciles from.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { AppError } from '@sallyport/shared/errors';
import type { State } from '../state/state.ts';

const TIMEOUT_MS = 10_000;
const MAX_KEPT_REPLY_BYTES = 64 * 1024;

export interface DeliverOptions {
  /** Where to; default: the App's hook address. */
  readonly url?: string;
  readonly contentType?: 'json' | 'form';
  /** Default: a new one. */
  readonly guid?: string;
  /** null: not signed at all. */
  readonly secret?: string | null;
  /** Sent as they are, in the place of what would be sent; null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The exact bytes of the JSON text, when they matter (odd spacing, escapes, broken UTF-8). Default: `JSON.stringify`. */
  readonly rawJson?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** How many copies go out under the same GUID; default 1. */
  readonly copies?: number;
  /** Copies at the same moment, not one after the other. */
  readonly simultaneous?: boolean;
  /** False: recorded as never received, nothing is sent (a delivery that was lost). */
  readonly send?: boolean;
}

export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly redelivery: boolean;
  readonly deliveredAt: Date;
  readonly durationMs: number;
  /** `OK`, `Invalid HTTP Response: 500`, `timed out`, `failed to connect to host`. */
  readonly status: string;
  /** 0 when there was no reply at all. */
  readonly statusCode: number;
  readonly url: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly responseHeaders: Readonly<Record<string, unknown>>;
  readonly responseBody: string;
}

export interface Hooks {
  readonly list: Delivery[];
  deliver(
    event: string,
    payload: Readonly<Record<string, unknown>>,
    options?: DeliverOptions,
  ): Promise<Delivery[]>;
  /** The same payload again under the same GUID, as a new delivery. */
  redeliver(guid: string, options?: DeliverOptions): Promise<Delivery>;
  /** Waits for deliveries that nobody waits for (echoes, redeliveries asked for over REST). */
  settle(): Promise<void>;
  /** Starts a delivery without waiting for it. */
  background(work: () => Promise<unknown>): void;
}

function idIn(payload: Readonly<Record<string, unknown>>, name: string): number | null {
  const part = payload[name];
  const id =
    typeof part === 'object' && part !== null ? (part as Record<string, unknown>)['id'] : null;
  return typeof id === 'number' ? id : null;
}

function signed(algorithm: string, secret: string, body: Buffer): string {
  return `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;
}

interface Sent {
  readonly status: string;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  timeoutMs: number,
): Promise<Sent> {
  return new Promise((resolve) => {
    const fail = (status: string, statusCode: number): void =>
      resolve({ status, statusCode, headers: {}, body: '' });
    const call = request(url, { method: 'POST', headers, agent: false }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('error', () => fail('failed to connect to host', 502));
      reply.on('end', () => {
        clearTimeout(timer);
        const code = reply.statusCode ?? 0;
        const good = code >= 200 && code < 300;
        resolve({
          status: good ? 'OK' : `Invalid HTTP Response: ${code}`,
          statusCode: code,
          headers: reply.headers,
          body: Buffer.concat(parts).subarray(0, MAX_KEPT_REPLY_BYTES).toString('utf8'),
        });
      });
    });
    const timer = setTimeout(() => {
      fail('timed out', 504);
      call.destroy();
    }, timeoutMs);
    call.on('error', () => {
      clearTimeout(timer);
      fail('failed to connect to host', 502);
    });
    call.end(body);
  });
}

export function createHooks(state: State): Hooks {
  const list: Delivery[] = [];
  const open = new Set<Promise<unknown>>();
  const hookId = state.nextId('misc');

  async function attempt(
    event: string,
    payload: Readonly<Record<string, unknown>>,
    guid: string,
    redelivery: boolean,
    options: DeliverOptions,
  ): Promise<Delivery> {
    const url = options.url ?? state.hook.url;
    if (url === null)
      throw new AppError(
        'bad_input',
        'delivering a hook: no address; give `url`, or set one with setHook',
      );
    const form = (options.contentType ?? state.hook.contentType) === 'form';
    const json = Buffer.from(options.rawJson ?? JSON.stringify(payload));
    const body = form ? Buffer.from(`payload=${encodeURIComponent(json.toString('utf8'))}`) : json;
    const secret = options.secret === undefined ? state.hook.secret : options.secret;
    const headers: Record<string, string> = {
      'User-Agent': 'GitHub-Hookshot/5tand1n',
      Accept: '*/*',
      'Content-Type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      'X-GitHub-Delivery': guid,
      'X-GitHub-Event': event,
      'X-GitHub-Hook-ID': String(hookId),
      'X-GitHub-Hook-Installation-Target-ID': String(state.app.id),
      'X-GitHub-Hook-Installation-Target-Type': 'integration',
      ...(secret === null
        ? {}
        : {
            'X-Hub-Signature': signed('sha1', secret, body),
            'X-Hub-Signature-256': signed('sha256', secret, body),
          }),
    };
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      for (const known of Object.keys(headers))
        if (known.toLowerCase() === name.toLowerCase()) delete headers[known];
      if (value !== null) headers[name] = value;
    }
    const id = state.nextId('delivery');
    const started = performance.now();
    const deliveredAt = state.now();
    const lost: Sent = {
      status: 'failed to connect to host',
      statusCode: 502,
      headers: {},
      body: '',
    };
    const withLength = { ...headers, 'Content-Length': String(body.length) };
    const sent =
      options.send === false
        ? lost
        : await send(url, withLength, body, options.timeoutMs ?? TIMEOUT_MS);
    const delivery: Delivery = {
      id,
      guid,
      event,
      action: typeof payload['action'] === 'string' ? payload['action'] : null,
      redelivery,
      deliveredAt,
      durationMs: Math.round(performance.now() - started),
      status: sent.status,
      statusCode: sent.statusCode,
      url,
      installationId: idIn(payload, 'installation'),
      repositoryId: idIn(payload, 'repository'),
      requestHeaders: headers,
      payload,
      responseHeaders: sent.headers,
      responseBody: sent.body,
    };
    list.push(delivery);
    return delivery;
  }

  const hooks: Hooks = {
    list,
    deliver: async (event, payload, options = {}) => {
      const guid = options.guid ?? randomUUID();
      const copies = Array.from({ length: options.copies ?? 1 });
      if (options.simultaneous === true)
        return Promise.all(copies.map(() => attempt(event, payload, guid, false, options)));
      const done: Delivery[] = [];
      for (const _ of copies) done.push(await attempt(event, payload, guid, false, options));
      return done;
    },
    redeliver: (guid, options = {}) => {
      const first = list.find((delivery) => delivery.guid === guid);
      if (!first) throw new AppError('not_found', `finding a delivery with GUID ${guid}`);
      return attempt(first.event, first.payload, guid, true, options);
    },
    settle: async () => {
      while (open.size > 0) await Promise.all(open);
    },
    background: (work) => {
      const running = work()
        .catch(() => undefined)
        .finally(() => open.delete(running));
      open.add(running);
    },
  };
  return hooks;
}
