/** Setting and lifting a halt, the same for the form and for scripts: who, what and why are checked and recorded. */
import { liftHalt, setHalt } from '@sallyport/shared/db/halt';
import type { Queryable } from '@sallyport/shared/db/pool';
import { scopeOf } from '@sallyport/shared/db/views/halt-scope';
import { awaitAcknowledgement, type HaltStatus } from '@sallyport/shared/db/views/halt-status';
import { AppError } from '@sallyport/shared/errors';
import { z } from 'zod';

const ACKNOWLEDGE_MS = 2000;

const scope = z.union([z.literal(['all', 'repo']), z.string().regex(/^repo:[0-9]{1,18}$/)], {
  error: 'say all, repo (with repo: OWNER/NAME or the numeric id) or repo:ID',
});
const hasNoNul = (text: string): boolean => !text.includes('\0');
const NO_NUL = 'leave out the NUL character';
const repo = z.string().trim().max(200).refine(hasNoNul, NO_NUL);
/** What is halted: everything, or one repository by name or number. */
export const ScopeInput = z.object({ scope: scope.optional(), repo: repo.optional() });
export const HaltInput = ScopeInput.extend({
  level: z.literal(['drain', 'stop'], { error: 'say drain or stop' }),
  reason: z
    .string({ error: 'say why' })
    .trim()
    .min(1, 'say why')
    .max(1000, 'use at most 1000 characters')
    .refine(hasNoNul, NO_NUL),
});

/** Sets the halt and waits a moment for the living to act upon it; whoever has not is named. */
export async function halt(
  db: Queryable,
  input: z.infer<typeof HaltInput>,
  by: string,
): Promise<HaltStatus & { scope: string }> {
  const chosen = await chooseScope(db, input);
  await setHalt(db, chosen, input.level, input.reason, by);
  return { scope: chosen, ...(await awaitAcknowledgement(db, ACKNOWLEDGE_MS)) };
}

/** Lifts the halt of exactly this scope. @throws AppError `not_found` when there is none. */
export async function resume(
  db: Queryable,
  input: z.infer<typeof ScopeInput>,
  by: string,
): Promise<HaltStatus & { scope: string }> {
  const chosen = await chooseScope(db, input);
  if (!(await liftHalt(db, chosen, by))) {
    throw new AppError(
      'not_found',
      `there is no halt of ${chosen === 'all' ? 'everything' : chosen}`,
    );
  }
  return { scope: chosen, ...(await awaitAcknowledgement(db, ACKNOWLEDGE_MS)) };
}

async function chooseScope(db: Queryable, input: z.infer<typeof ScopeInput>): Promise<string> {
  const named = input.repo === undefined || input.repo === '' ? undefined : input.repo;
  if (input.scope === undefined || input.scope === 'repo') {
    if (named === undefined) {
      throw new AppError(
        'bad_input',
        'say what: scope "all", or repo with OWNER/NAME or the numeric id',
      );
    }
    return scopeOf(db, named);
  }
  // A repository beside "everything" is a slip in one of the two, and the two differ by everything.
  if (named !== undefined)
    throw new AppError('bad_input', 'say either everything or one repository, not both');
  return input.scope;
}
