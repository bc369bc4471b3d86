/**
 * The parts of GitHub's answers that the assessment reads. Unknown keys are let through, since GitHub adds them at will;
 * a known key with an unknown form makes the answer unreadable, which counts as not known.
 */
import { z } from 'zod';
import type { Answer } from './facts.ts';

export const BranchRulesBody = z.array(
  z.looseObject({
    type: z.string(),
    ruleset_id: z.int().positive(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
);
export type BranchRule = z.infer<typeof BranchRulesBody>[number];

export const RulesetBody = z.looseObject({
  enforcement: z.string(),
  current_user_can_bypass: z.string().optional(),
});

export const PullRequestParameters = z.looseObject({
  required_approving_review_count: z.int().nonnegative().default(0),
  dismiss_stale_reviews_on_push: z.boolean().default(false),
  require_code_owner_review: z.boolean().default(false),
  require_last_push_approval: z.boolean().default(false),
});

export const StatusCheckParameters = z.looseObject({
  required_status_checks: z
    .array(z.looseObject({ context: z.string(), integration_id: z.int().nullish() }))
    .default([]),
});

const Switch = z.looseObject({ enabled: z.boolean() });
const Apps = z.looseObject({ apps: z.array(z.looseObject({ slug: z.string() })).default([]) });

export const ClassicBody = z.looseObject({
  required_pull_request_reviews: z
    .looseObject({
      required_approving_review_count: z.int().nonnegative().default(0),
      dismiss_stale_reviews: z.boolean().default(false),
      require_code_owner_reviews: z.boolean().default(false),
      require_last_push_approval: z.boolean().default(false),
      bypass_pull_request_allowances: Apps.nullish(),
    })
    .nullish(),
  required_status_checks: z
    .looseObject({
      checks: z
        .array(z.looseObject({ context: z.string(), app_id: z.int().nullish() }))
        .default([]),
    })
    .nullish(),
  enforce_admins: Switch.nullish(),
  restrictions: Apps.nullish(),
  allow_force_pushes: Switch.nullish(),
  allow_deletions: Switch.nullish(),
});
export type Classic = z.infer<typeof ClassicBody>;

export const RepositoryBody = z.looseObject({
  archived: z.boolean(),
  disabled: z.boolean().default(false),
  permissions: z.looseObject({ admin: z.boolean().optional() }).nullish(),
});

export const BranchBody = z.looseObject({ name: z.string() });

export const CodeownersBody = z.looseObject({ errors: z.array(z.unknown()) });

export const RefUpdateRuleBody = z.looseObject({ viewerCanPush: z.boolean() }).nullable();

export type Read<T> =
  | { kind: 'body'; body: T }
  | { kind: 'absent' }
  | { kind: 'forbidden' }
  | { kind: 'unreadable'; why: string };

/** An answer as a body of the expected form, or why there is none. Only 200 is a body, only 404 says that there is nothing. */
export function readAnswer<T>(answer: Answer, schema: z.ZodType<T>): Read<T> {
  if (answer.kind === 'failed') return { kind: 'unreadable', why: 'the call failed' };
  if (answer.status === 404) return { kind: 'absent' };
  if (answer.status === 403) return { kind: 'forbidden' };
  if (answer.status !== 200) {
    return { kind: 'unreadable', why: `GitHub answered with status ${answer.status}` };
  }
  const parsed = schema.safeParse(answer.body);
  return parsed.success
    ? { kind: 'body', body: parsed.data }
    : { kind: 'unreadable', why: 'the answer does not have the expected form' };
}
