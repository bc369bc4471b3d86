/** What one ticket permits: one run of one admitted task, from one commit, onto one branch. */
import { z } from 'zod';
import { ACTS } from '../task/acts.ts';

const gitSha = z.string().regex(/^[0-9a-f]{40}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const TICKET_ISSUER = 'gate';
export const TICKET_TYPE = 'sallyport-ticket+jwt';
export const TICKET_AUDIENCES = ['worker-launcher', 'model-relay', 'publisher'] as const;
export type TicketAudience = (typeof TICKET_AUDIENCES)[number];

/** Branch names that a ticket may carry: a prefix, then lower-case words, so that no git syntax fits in. */
export const BRANCH_PATTERN = /^[a-z0-9][a-z0-9-]{0,30}\/[a-z0-9][a-z0-9-]{0,90}$/;

export const TicketClaimsSchema = z.strictObject({
  iss: z.literal(TICKET_ISSUER),
  aud: z.array(z.enum(TICKET_AUDIENCES)),
  jti: z.uuid(),
  iat: z.int(),
  exp: z.int(),
  task_id: z.uuid(),
  run_id: z.uuid(),
  act: z.enum(ACTS),
  installation_id: z.int().positive(),
  repository: z.strictObject({ id: z.int().positive(), owner: z.string(), name: z.string() }),
  subject: z.strictObject({ kind: z.enum(['issue', 'pull_request']), number: z.int().positive() }),
  requester: z.strictObject({ id: z.int().positive(), login: z.string(), role: z.string() }),
  snapshot_sha256: hash,
  comment_id: z.int().positive().nullable(),
  base: z.strictObject({ ref: z.string().min(1), sha: gitSha }),
  start: z.strictObject({ repository_id: z.int().positive(), ref: z.string().min(1), sha: gitSha }),
  branch: z.string().regex(BRANCH_PATTERN),
  read_only: z.boolean(),
  team: z.strictObject({ name: z.string(), hash }),
  policy_hash: hash,
  limits: z.strictObject({
    wall_seconds: z.int().positive(),
    tokens: z.int().nonnegative(),
    cost_microusd: z.int().nonnegative(),
    steps: z.int().positive(),
  }),
  egress: z.array(z.enum(['model', 'registry'])),
});
export type TicketClaims = z.infer<typeof TicketClaimsSchema>;
