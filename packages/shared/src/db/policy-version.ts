/** Policies as they were when a task was admitted, by their hash. */
import type { Queryable } from './pool.ts';

/** Keeps a policy under its hash; one that is there already is the same. */
export async function keepPolicyVersion(
  db: Queryable,
  policy: { hash: string; content: unknown },
): Promise<void> {
  await db.query(
    'insert into policy_version (hash, content) values ($1, $2) on conflict (hash) do nothing',
    [policy.hash, JSON.stringify(policy.content)],
  );
}
