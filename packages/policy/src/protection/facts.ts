/**
 * What GitHub answered about a base branch, as facts that survive JSON. Each call is kept with its status, and a call that
 * failed is a fact of its own: the assessment must be able to tell "no" from "not known".
 */
import { z } from 'zod';

export const AnswerSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answered'), status: z.int(), body: z.unknown() }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string() }),
]);
export type Answer = z.infer<typeof AnswerSchema>;

/** Entries per page that the caller asked for; a page with fewer is the last. */
export const RULES_PAGE_SIZE = 100;

export const ProtectionFactsSchema = z.strictObject({
  /** Slug of our own App, as it stands in bypass lists. */
  appSlug: z.string().min(1),
  /** Branch name without `refs/heads/`. */
  baseRef: z.string().min(1),
  /** `GET /repos/{o}/{r}/rules/branches/{branch}?per_page=100`, page by page from 1. */
  branchRules: z.array(z.strictObject({ page: z.int().positive(), answer: AnswerSchema })),
  /** `GET /repos/{o}/{r}/rulesets/{id}?includes_parents=true` for each id in the rules, by its decimal id. */
  rulesets: z.record(z.string().regex(/^\d+$/), AnswerSchema),
  /** `GET /repos/{o}/{r}/branches/{branch}/protection`: 200, 404 (none) or 403 (no permission to see it). */
  classic: AnswerSchema,
  /** `GET /repos/{o}/{r}/branches/{branch}`. */
  branch: AnswerSchema,
  /** `GET /repos/{o}/{r}`. */
  repository: AnswerSchema,
  /** `GET /repos/{o}/{r}/codeowners/errors?ref={branch}`; 404 means that there is no CODEOWNERS file. */
  codeownersErrors: AnswerSchema,
  /** GraphQL `ref.refUpdateRule` for our token, as `{viewerCanPush}` or null; null here when it was not asked. */
  refUpdateRule: AnswerSchema.nullable(),
});
export type ProtectionFacts = z.infer<typeof ProtectionFactsSchema>;
