/**
 * The layer of classic branch protection. It is visible only with a permission that many installations do not give; then it
 * is unknown, and can neither prove protection nor take away what rulesets prove.
 */
import { ClassicBody, readAnswer } from './answers.ts';
import type { Classic } from './answers.ts';
import { isApp, NO_DEMANDS } from './demands.ts';
import type { Demands, Layer } from './demands.ts';
import type { ProtectionFacts } from './facts.ts';

/** The layer of classic branch protection. `isAdmin`: whether our token has admin rights, null when not known. */
export function readClassic(facts: ProtectionFacts, isAdmin: boolean | null): Layer {
  const read = readAnswer(facts.classic, ClassicBody);
  const unknown = (why: string): Layer => ({ kind: 'unknown', why, bypassableBy: null });
  switch (read.kind) {
    case 'absent':
      return { kind: 'read', demands: NO_DEMANDS, bypassableBy: null, notes: [] };
    case 'forbidden':
      return unknown(
        'our App may not see classic branch protection (it lacks administration: read)',
      );
    case 'unreadable':
      return unknown(`classic branch protection could not be read: ${read.why}`);
    case 'body':
      return classicLayer(read.body, facts.appSlug, isAdmin);
    default:
      return unknown('classic branch protection could not be read');
  }
}

function classicLayer(classic: Classic, appSlug: string, isAdmin: boolean | null): Layer {
  const reviews = classic.required_pull_request_reviews;
  const exempt = exemption(classic, appSlug, isAdmin);
  const notes =
    classic.enforce_admins?.enabled === true
      ? []
      : ['administrators are exempt from classic branch protection'];
  if (exempt !== null) {
    if (exempt.isKnown) {
      const demanded = (reviews?.required_approving_review_count ?? 0) > 0;
      const bypassableBy = demanded ? exempt.why : null;
      return { kind: 'read', demands: NO_DEMANDS, bypassableBy, notes: [...notes, exempt.why] };
    }
    return { kind: 'unknown', why: exempt.why, bypassableBy: null };
  }
  const checks = classic.required_status_checks?.checks ?? [];
  const demands: Demands = {
    reviews: reviews?.required_approving_review_count ?? 0,
    dismissesStale: reviews?.dismiss_stale_reviews ?? false,
    codeOwners: reviews?.require_code_owner_reviews ?? false,
    lastPush: reviews?.require_last_push_approval ?? false,
    blocksForcePush: classic.allow_force_pushes?.enabled === false,
    blocksDeletion: classic.allow_deletions?.enabled === false,
    checks: { count: checks.length, pinned: checks.every((check) => isApp(check.app_id)) },
  };
  return { kind: 'read', demands, bypassableBy: null, notes };
}

function exemption(
  classic: Classic,
  appSlug: string,
  isAdmin: boolean | null,
): { isKnown: boolean; why: string } | null {
  const bypass = classic.required_pull_request_reviews?.bypass_pull_request_allowances?.apps ?? [];
  if (bypass.some((app) => app.slug === appSlug)) {
    return { isKnown: true, why: 'our App is on the list of those who may bypass pull requests' };
  }
  if ((classic.restrictions?.apps ?? []).some((app) => app.slug === appSlug)) {
    return { isKnown: true, why: 'our App is on the list of those who may push to the branch' };
  }
  if (classic.enforce_admins?.enabled === true || isAdmin === false) return null;
  return isAdmin === true
    ? { isKnown: true, why: 'our App has admin rights and administrators are exempt' }
    : {
        isKnown: false,
        why: 'administrators are exempt and it is not known whether our App is one',
      };
}
