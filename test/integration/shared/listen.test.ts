import { createListener, type Listener } from '@sallyport/shared/db/listen';
import { createLogger } from '@sallyport/shared/log';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

let deployment: TestDeployment;
const listeners: Listener[] = [];
const warnings: string[] = [];
const onWarning = (warning: Error): void => void warnings.push(warning.message);
beforeAll(async () => {
  process.on('warning', onWarning);
  deployment = await createTestDeployment();
});
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});
afterAll(async () => {
  process.off('warning', onWarning);
  await deployment.close();
});

interface Heard {
  outbox: string[];
  halt: string[];
}

function listen(): Heard {
  const listener = createListener(
    { url: deployment.urls.gate, deployment: deployment.id, process: 'gate' },
    createLogger('gate', 'silent'),
  );
  listeners.push(listener);
  const heard: Heard = { outbox: [], halt: [] };
  listener.on('outbox', (payload) => heard.outbox.push(payload));
  listener.on('halt', (payload) => heard.halt.push(payload));
  return heard;
}

function notify(topic: keyof Heard, payload: string): Promise<unknown> {
  return deployment.admin.query('select pg_notify($1, $2)', [`${deployment.id}.${topic}`, payload]);
}

it('hears every topic, and asks for them one after the other', async () => {
  const heard = listen();
  await expect.poll(() => heard).toEqual({ outbox: [''], halt: [''] });
  await notify('outbox', 'one');
  await notify('halt', 'two');
  await expect.poll(() => heard).toEqual({ outbox: ['', 'one'], halt: ['', 'two'] });
  expect(warnings).toEqual([]);
});

it('counts a reconnect as a nudge on every topic, and hears on', async () => {
  const heard = listen();
  await expect.poll(() => heard.halt).toEqual(['']);
  const { rowCount } = await deployment.admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
    [`${deployment.id}/gate`],
  );
  expect(rowCount).toBe(1);
  await expect.poll(() => heard, { timeout: 5_000 }).toEqual({ outbox: ['', ''], halt: ['', ''] });
  await notify('outbox', 'after');
  await expect.poll(() => heard.outbox).toEqual(['', '', 'after']);
  expect(warnings).toEqual([]);
});
