/** What a line did to the outside in a stretch of time, as the stand-in and the timeline recorded it. */
import type { Line } from './start-line.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Writes at GitHub and agents that were started, oldest first. Minting and revoking a token writes nothing. */
export async function effectsBetween(
  line: Line,
  since: Date,
  until = new Date(),
): Promise<string[]> {
  const requests = await line.github.control.requests();
  const writes = requests
    .filter(({ at }) => at > since && at < until)
    .filter(
      ({ method, path, face }) =>
        (face === 'git' && path.endsWith('/git-receive-pack')) ||
        (face === 'rest' && WRITES.has(method) && path.startsWith('/repos/')),
    )
    .map(({ method, path }) => `${method} ${path}`);
  const { rows } = await line.db.query<{ subject: string }>(
    `select subject from timeline where kind = 'step_started' and at > $1 and at < $2`,
    [since, until],
  );
  return [...writes, ...rows.map(({ subject }) => `a step of ${subject}`)];
}
