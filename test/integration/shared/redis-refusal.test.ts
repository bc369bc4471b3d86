/** A process that Redis refuses must stop and say so, not spin; beside each the same process with the rights it needs. */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { enqueue } from '@sallyport/shared/db/outbox';
import { newId } from '@sallyport/shared/ids';
import { aclRules, redisUserName } from '@sallyport/shared/queue/acl';
import { redisUrlFor } from '@sallyport/shared/queue/provision-users';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createServices,
  type ServiceProcess,
  type Services,
} from '../../support/deployment/start-service.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

const STOP_WITHIN_MS = 5000;
const TICKET_KEY = generateKeyPairSync('ed25519')
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

let deployment: TestDeployment;
let services: Services;
let redis: Redis;
beforeAll(async () => {
  deployment = await createTestDeployment();
  services = createServices(deployment);
  redis = new Redis(deployment.redisUrl);
});
afterEach(() => services.stopAll());
afterAll(async () => {
  await services.close();
  await redis.call('ACL', 'DELUSER', ...['gate', 'intake'].map((p) => `${deployment.id}_${p}`));
  redis.disconnect();
  await deployment.close();
});

type Name = 'gate' | 'intake';

/** Makes the Redis user of a process, its rules changed, and gives its URL. */
async function userOf(name: Name, change: (rules: string[]) => string[]): Promise<string> {
  const rules = change(aclRules(deployment.id, name, 'right'));
  await redis.call('ACL', 'SETUSER', redisUserName(deployment.id, name), ...rules);
  return redisUrlFor(deployment.redisUrl, redisUserName(deployment.id, name), 'right');
}

function start(name: Name, redisUrl: string): ServiceProcess {
  return services.start({
    main: `services/${name}/src/main.ts`,
    process: name,
    secrets:
      name === 'gate'
        ? { REDIS_URL: redisUrl, TICKET_KEY }
        : { REDIS_URL: redisUrl, WEBHOOK_SECRET: 'a secret of some length' },
    env:
      name === 'gate'
        ? { GITHUB_APP_ID: '1', GITHUB_APP_SLUG: 'sallyport' }
        : { HOST: '127.0.0.1', PORT: '0' },
  });
}

/** How a process that Redis refuses ended, and what it said. */
async function refusal(service: ServiceProcess): Promise<{ ended: unknown; output: string }> {
  await service.said(/"level"/);
  const late = sleep(STOP_WITHIN_MS, 'still running', { ref: false });
  return { ended: await Promise.race([service.ended, late]), output: service.output() };
}

const KEEP = (rules: string[]): string[] => rules;

describe.each(['gate', 'intake'] as const)('%s', (name) => {
  it('stops when its password is wrong', async () => {
    const url = await userOf(name, KEEP);
    const { ended, output } = await refusal(start(name, url.replace(':right@', ':wrong-one@')));
    expect(ended).toBe(2);
    expect(output).toContain('Redis refuses this process');
    expect(output).not.toContain('wrong-one');
  });

  it.each([
    ['it may not run scripts', (rules: string[]) => [...rules, '-eval', '-evalsha']],
    [
      'the keys of its queue are not its own',
      (rules: string[]) => rules.map((rule) => (rule.startsWith('~') ? '~elsewhere:*' : rule)),
    ],
  ])('stops when %s', async (_, change) => {
    const url = await userOf(name, change);
    await enqueue(deployment.pool('intake'), 'gate', { v: 1, deliveryId: newId() });
    const { ended, output } = await refusal(start(name, url));
    expect(ended).toBe(2);
    expect(output).toContain('Redis refuses this process');
    // Said once or twice (each connection may), not thousands of times.
    expect(output.length).toBeLessThan(20_000);
  });

  it('runs with the rights of its own list', async () => {
    const url = await userOf(name, KEEP);
    await enqueue(deployment.pool('intake'), 'gate', { v: 1, deliveryId: newId() });
    const service = start(name, url);
    await service.said(/"ready"/);
    await sleep(1500);
    expect(service.child.exitCode).toBeNull();
    expect(service.output()).not.toContain('refuses');
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });
});
