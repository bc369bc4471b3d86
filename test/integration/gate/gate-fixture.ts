/** A gate in this process on a deployment of its own, deliveries from GitHub's published examples, and answers by hand. */
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { systemClock, type Clock } from '@sallyport/shared/clock';
import { insertDelivery } from '@sallyport/shared/db/delivery';
import { answerRequest } from '@sallyport/shared/db/github-request';
import { createListener } from '@sallyport/shared/db/listen';
import { enqueue } from '@sallyport/shared/db/outbox';
import { inTransaction } from '@sallyport/shared/db/pool';
import { createHaltGuard } from '@sallyport/shared/halt/guard';
import { newId } from '@sallyport/shared/ids';
import { createLogger } from '@sallyport/shared/log';
import { createTicketSigner } from '@sallyport/shared/ticket/sign';
import { readTicketKeys, type TicketKeys } from '@sallyport/shared/ticket/verify';
import { choosePolicy } from '../../../services/gate/src/choices/policy-choice.ts';
import { chooseTeams } from '../../../services/gate/src/choices/team-choice.ts';
import type { Gate } from '../../../services/gate/src/gate.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

interface Mutable {
  [key: string]: unknown;
}
export interface CommentPayload extends Mutable {
  comment: Mutable & { id: number; body: string };
  issue: Mutable & { number: number; title: string; body: string | null };
  repository: Mutable & { id: number };
  installation: { id: number };
  sender: Mutable & { id: number; login: string };
}

export const OWN_APP = { id: 4242, slug: 'sally' };
export const HEAD_SHA = 'c'.repeat(40);

export interface GateFixture {
  deployment: TestDeployment;
  gate: Gate;
  keys: TicketKeys;
  privatePem: string;
  clock: { offsetMs: number };
  /** Stores a delivery as intake does; its id. */
  deliver(payload: unknown, event?: string): Promise<string>;
  deliverBytes(body: Buffer, event?: string): Promise<string>;
  /** Answers the open questions of a task as the publisher does. */
  answer(taskId: string, changes?: Answers): Promise<void>;
  row<R extends object>(sql: string, values?: unknown[]): Promise<R>;
  rows<R extends object>(sql: string, values?: unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

export type Answers = Partial<
  Record<'permission' | 'subject' | 'head' | 'file_at', object | 'unknown' | 'open'>
>;

interface Example {
  name: string;
  examples: CommentPayload[];
}

export const EXAMPLES = createRequire(import.meta.url)(
  '@octokit/webhooks-examples/api.github.com/index.json',
) as Example[];

let nextComment = 1_000_000;

/** GitHub's own example of a comment on an issue of an installed App, with another id and our words. */
export function commentPayload(
  body: string,
  change: (payload: CommentPayload) => void = () => {},
): CommentPayload {
  const examples = EXAMPLES.find((entry) => entry.name === 'issue_comment')?.examples ?? [];
  const example = examples.find(
    (one) => one['action'] === 'created' && one['installation'] !== undefined,
  );
  if (example === undefined) throw new Error('the examples have no comment of an installed App');
  const payload = structuredClone(example);
  payload.comment.body = body;
  payload.comment.id = nextComment += 1;
  change(payload);
  return payload;
}

export async function createGateFixture(): Promise<GateFixture> {
  const deployment = await createTestDeployment();
  const db = deployment.pool('gate');
  const log = createLogger('gate', 'silent');
  const listener = createListener(
    { url: deployment.urls.gate, deployment: deployment.id, process: 'gate' },
    log,
  );
  const halt = createHaltGuard({ db, listener, log });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const clock: Clock & { offsetMs: number } = {
    offsetMs: 0,
    now() {
      return new Date(systemClock.now().getTime() + this.offsetMs);
    },
  };
  const gate: Gate = {
    db,
    halt,
    log,
    clock,
    signer: createTicketSigner(privatePem),
    own: OWN_APP,
    teams: chooseTeams(undefined),
    policy: choosePolicy(undefined),
    branchPrefix: 'agent',
    limits: { wallSeconds: 60, tokens: 1000, costMicrousd: 1000, steps: 5 },
    assessTimeoutSeconds: 600,
  };

  async function rows<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
    return (await deployment.admin.query(sql, values)).rows as R[];
  }
  async function deliverBytes(body: Buffer, event = 'issue_comment'): Promise<string> {
    const id = newId();
    await inTransaction(deployment.pool('intake'), async (tx) => {
      await insertDelivery(tx, {
        id,
        targetType: 'integration',
        targetId: '4242',
        guid: randomUUID(),
        event,
        contentType: 'json',
        headers: {},
        body,
        bodySha256: createHash('sha256').update(body).digest('hex'),
      });
      await enqueue(tx, 'gate', { v: 1, deliveryId: id });
    });
    return id;
  }

  return {
    deployment,
    gate,
    clock,
    privatePem,
    rows,
    deliverBytes,
    keys: readTicketKeys(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    deliver: (payload, event) => deliverBytes(Buffer.from(JSON.stringify(payload)), event),
    async row(sql, values) {
      const [first, ...more] = await rows<never>(sql, values);
      if (first === undefined || more.length > 0)
        throw new Error(`${more.length + (first === undefined ? 0 : 1)} rows: ${sql}`);
      return first;
    },
    async answer(taskId, changes = {}) {
      const open = await rows<{ id: string; kind: string; requester: number }>(
        `select g.id, g.kind, t.requester_id::float8 as requester from github_request g join task t on t.id = g.task_id
         where g.task_id = $1 and g.state = 'asked' and g.kind <> 'comment'`,
        [taskId],
      );
      for (const { id, kind, requester } of open) {
        const change = changes[kind as keyof Answers] ?? {};
        if (change === 'open') continue;
        const answer =
          change === 'unknown' ? {} : { ...standardAnswer(kind, requester), ...change };
        await answerRequest(deployment.pool('publisher'), id, {
          state: change === 'unknown' ? 'unknown' : 'answered',
          answer,
        });
      }
    },
    async close() {
      halt.stop();
      await listener.close();
      await deployment.close();
    },
  };
}

function standardAnswer(kind: string, requester: number): object {
  if (kind === 'permission')
    return { found: true, userId: requester, permission: 'write', role: 'write' };
  if (kind === 'head') return { found: true, ref: 'main', sha: HEAD_SHA };
  if (kind === 'file_at') return { text: null, problem: null, names: [] };
  return {
    found: true,
    isPullRequest: false,
    state: 'open',
    title: 'edited since',
    body: 'edited since',
    authorId: 7,
    updatedAt: '2026-01-02T03:04:05Z',
  };
}
