/** From what an operator types (`owner/name` or a numeric id) to the scope of a halt. */
import { AppError } from '../../errors.ts';
import type { Queryable } from '../pool.ts';

/** `all`, or `repo:ID`. @throws AppError `not_found` for a repository that this deployment has never seen, `bad_input` for no repository at all. */
export async function scopeOf(db: Queryable, repository: string | undefined): Promise<string> {
  if (repository === undefined) return 'all';
  if (/^[0-9]{1,18}$/.test(repository)) return `repo:${repository}`;
  const [owner, name, ...more] = repository.split('/');
  if (owner === undefined || name === undefined || more.length > 0) {
    throw new AppError('bad_input', `repository ${repository}: give OWNER/NAME or the numeric id`);
  }
  const { rows } = await db.query<{ id: string }>(
    'select id::text from repository where lower(owner) = lower($1) and lower(name) = lower($2)',
    [owner, name],
  );
  const found = rows[0];
  if (found === undefined) {
    throw new AppError(
      'not_found',
      `no repository ${repository} is known here yet; give its numeric id to halt it beforehand`,
    );
  }
  return `repo:${found.id}`;
}
