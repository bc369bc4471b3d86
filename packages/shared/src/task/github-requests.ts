/**
 * The closed list of what other processes may ask GitHub through the publisher: the parameters and the answer of each
 * kind, and who may ask it. Everything not listed cannot be asked.
 */
import { z } from 'zod';
import type { Process } from '../processes.ts';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const login = z.string().min(1).max(100);

export const COMMENT_TEMPLATES = ['refused', 'admitted', 'held', 'failed'] as const;

/** The directories from which a file may be asked, and how files in them are named: no other part of a repository. */
export const READABLE_DIRECTORIES = ['.sallyport/teams'] as const;
export const READABLE_FILE_PATTERN = /^[a-z][a-z0-9-]{0,39}\.yaml$/;
export const READABLE_FILE_MAX_BYTES = 64 * 1024;
export const READABLE_FILES_MAX = 50;

/** Why a file that is there is not given. `not_a_directory`: a link or a submodule on the way to it. */
export const UNREADABLE_REASONS = [
  'link',
  'submodule',
  'directory',
  'too_large',
  'not_text',
  'not_a_directory',
  'too_many_files',
] as const;

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
  /**
   * One file as it is in the commit that a `head` of the same task was answered with, and in no other; and the names of its
   * neighbours, for whoever asked for one that is not there.
   */
  file_at: {
    params: z.strictObject({
      sha,
      directory: z.enum(READABLE_DIRECTORIES),
      name: z.string().regex(READABLE_FILE_PATTERN),
    }),
    answer: z.object({
      /** Null when there is no such file, or `problem` says why it is not given. */
      text: z.string().max(READABLE_FILE_MAX_BYTES).nullable(),
      problem: z.enum(UNREADABLE_REASONS).nullable(),
      /** Regular files in the directory that are named like readable ones, in order. */
      names: z.array(z.string().regex(READABLE_FILE_PATTERN)).max(READABLE_FILES_MAX),
    }),
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
