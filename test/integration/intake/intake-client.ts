/** Sends webhook requests as GitHub does, over real connections, to an intake that listens in this process. */
import { createHmac, randomUUID } from 'node:crypto';
import { createStoreDelivery } from '../../../services/intake/src/store-delivery.ts';
import { createApp, type AppOptions } from '../../../services/intake/src/create-app.ts';
import { createBodyRooms } from '../../../services/intake/src/body-room.ts';
import { createLogger } from '@sallyport/shared/log';
import type { Pool } from '@sallyport/shared/db/pool';

export const SECRET = "It's a Secret to Everybody";
export const PREVIOUS_SECRET = 'the secret of yesterday';

export interface Intake {
  port: number;
  /** The log lines so far. */
  lines: string[];
  close(): Promise<void>;
}

export async function startIntake(db: Pool, options: Partial<AppOptions> = {}): Promise<Intake> {
  const lines: string[] = [];
  const app = createApp({
    secrets: [SECRET, PREVIOUS_SECRET],
    rooms: createBodyRooms(),
    store: createStoreDelivery(db),
    freeMemory: () => {},
    log: createLogger('intake', 'info', { write: (line: string) => lines.push(line) }),
    isHealthy: () => Promise.resolve(true),
    ...options,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return { port: address.port, lines, close: () => app.close() };
}

export function sign(body: Buffer | string, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** The headers of a good delivery of this body; undefined takes one away. */
export function headersFor(
  body: Buffer | string,
  changes: Record<string, string | undefined> = {},
): Record<string, string> {
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/044aadd',
    'x-github-event': 'issue_comment',
    'x-github-delivery': randomUUID(),
    'x-github-hook-id': '292430182',
    'x-github-hook-installation-target-type': 'integration',
    'x-github-hook-installation-target-id': '79929171',
    'x-hub-signature-256': sign(body),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: { delivery?: string; duplicate?: boolean; error?: { code: string; message: string } };
}

/** Posts one delivery. */
export async function deliver(
  intake: { port: number },
  body: Buffer | string,
  changes: Record<string, string | undefined> = {},
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${intake.port}/github/webhook`, {
    method: 'POST',
    headers: headersFor(body, changes),
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
}
