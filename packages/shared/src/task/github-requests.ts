/**
 * The closed list of what other processes may ask GitHub through the publisher: the parameters and the answer of each
 * kind, and who may ask it. Everything not listed cannot be asked.
 */
import { z } from 'zod';
import type { Process } from '../processes.ts';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const login = z.string().min(1).max(100);

export const COMMENT_TEMPLATES = ['refused', 'admitted', 'held', 'failed'] as const;

export const GITHUB_REQUESTS = {
  /** The role of one account in the repository; `userId` is the account that GitHub answered for. */
  permission: {
    params: z.strictObject({ login }),
    answer: z.object({
      found: z.boolean(),
      userId: z.number().int().nullable(),
      permission: z.string().nullable(),
      role: z.string().nullable(),
    }),
    askedBy: ['gate'],
  },
  /** The issue or pull request as it is now. */
  subject: {
    params: z.strictObject({ number: z.int().positive() }),
    answer: z.object({
      found: z.boolean(),
      isPullRequest: z.boolean(),
      state: z.string(),
      title: z.string(),
      body: z.string(),
      authorId: z.number().int().nullable(),
      updatedAt: z.string(),
    }),
    askedBy: ['gate'],
  },
  /** The commit at the tip of a branch; `ref` null asks for the default branch. */
  head: {
    params: z.strictObject({ ref: z.string().max(255).nullable() }),
    answer: z.object({ found: z.boolean(), ref: z.string(), sha: sha.nullable() }),
    askedBy: ['gate'],
  },
  /** Posts one comment from a template, once: asked again, the existing one is found and adopted. */
  comment: {
    params: z.strictObject({
      number: z.int().positive(),
      template: z.enum(COMMENT_TEMPLATES),
      values: z.record(z.string().max(40), z.string().max(2000)),
    }),
    answer: z.object({ commentId: z.number().int() }),
    askedBy: ['gate'],
  },
  /** The pack of the start commit named by the ticket. */
  source: {
    params: z.strictObject({ sha }),
    answer: z.object({ shallow: z.array(sha), size: z.number().int() }),
    askedBy: ['worker-launcher'],
  },
} as const satisfies Record<
  string,
  { params: z.ZodType; answer: z.ZodType; askedBy: readonly Process[] }
>;
export type GithubRequestKind = keyof typeof GITHUB_REQUESTS;
export type GithubParams<K extends GithubRequestKind> = z.infer<
  (typeof GITHUB_REQUESTS)[K]['params']
>;
export type GithubAnswer<K extends GithubRequestKind> = z.infer<
  (typeof GITHUB_REQUESTS)[K]['answer']
>;
