/** The part of an `issue_comment` payload that the gate relies on. GitHub sends null for whoever deleted the account. */
import { z } from 'zod';

const id = z.int().positive();
const account = z.object({
  id,
  login: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?$/),
  type: z.string().optional(),
});
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/);

/** What is looked at before anything is known about the payload. */
export const CommentGlanceSchema = z.object({
  action: z.string(),
  comment: z.object({
    body: z.string().nullish(),
    user: z.object({ login: z.string() }).nullish(),
    performed_via_github_app: z.object({ id: z.int() }).nullish(),
  }),
  sender: z.object({ login: z.string() }).nullish(),
});
export type CommentGlance = z.infer<typeof CommentGlanceSchema>;

export const CommentPayloadSchema = z.object({
  issue: z.object({
    /** Stored as a 32-bit integer. */
    number: z.int().positive().max(2_147_483_647),
    title: z.string(),
    body: z.string().nullish(),
    pull_request: z.unknown().optional(),
  }),
  comment: z.object({
    id,
    body: z.string(),
    user: account.nullish(),
    created_at: time,
    updated_at: time,
  }),
  repository: z.object({
    id,
    name: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/),
    owner: z.object({ login: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/) }),
  }),
  installation: z.object({ id }).nullish(),
  sender: account.nullish(),
});
export type CommentPayload = z.infer<typeof CommentPayloadSchema>;
