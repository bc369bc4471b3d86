/**
 * The last look before something leaves: is the base protected against our own App, and has it moved under the change.
 * Asked fresh each time, because both can change between a verdict and a push.
 */
import { assessProtection } from '@sallyport/policy/protection/assess';
import { decidePush } from '@sallyport/policy/protection/may-push';
import { readInstallation } from '../github/installation.ts';
import { findBaseDrift } from './base-drift.ts';
import { withCaseToken, type Case } from './case.ts';
import { collectProtectionFacts } from './protection-facts.ts';
import type { Stop } from './stop.ts';

export interface BaseInspection {
  protection: string;
  /** What the base's protection lacks though it may be pushed for; sentences for the pull request. */
  notes: string[];
  stop: Stop | null;
}

export async function inspectBase(
  one: Case,
  changedPaths: readonly string[],
): Promise<BaseInspection> {
  const { context, claims } = one;
  const installation = await readInstallation(context.github, claims.installation_id);
  // Classic protection is shown only to those who may read the administration; few installations grant it.
  const seesAll = installation?.permissions['administration'] !== undefined;
  return withCaseToken(one, seesAll ? 'read_all_protection' : 'read_protection', async (grant) => {
    const { defaultBranch } = grant.repository;
    if (claims.base.ref !== defaultBranch) {
      const message = `The work started from ${claims.base.ref}, and the default branch is ${defaultBranch} now.`;
      return {
        protection: 'unknown',
        notes: [],
        stop: { decision: 'hold', reason: 'base_not_default', message },
      };
    }
    const bot = await context.bot(grant.octokit);
    const facts = await collectProtectionFacts(grant, claims.base.ref, bot.slug);
    const assessment = assessProtection(facts);
    const decision = decidePush(assessment, { allowUnprotected: context.policy.allowUnprotected });
    const sentences = decision.reasons.map((reason) => reason.message);
    if (!decision.push) {
      if (assessment.verdict === 'app_can_bypass') {
        context.log.error(
          { repositoryId: claims.repository.id, taskId: claims.task_id },
          'the App can bypass the protection of a base branch',
        );
      }
      const stop: Stop = {
        decision: 'hold',
        reason: `protection_${assessment.verdict}`,
        message: sentences.join(' '),
      };
      return { protection: assessment.verdict, notes: [], stop };
    }
    const drift = await findBaseDrift(grant, claims.base, changedPaths);
    const notes = decision.reasons
      .filter((r) => r.code !== 'reviews_required')
      .map((r) => r.message);
    return { protection: assessment.verdict, notes, stop: drift };
  });
}
