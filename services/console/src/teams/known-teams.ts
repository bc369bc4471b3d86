/** The teams that this deployment knows of: the operator's, those that ship, and those that tasks were admitted with. */
import { findTeamVersion } from '@sallyport/shared/db/team-version';
import type { Queryable } from '@sallyport/shared/db/pool';
import { listTeamVersions } from '@sallyport/shared/db/views/team-versions';
import { findAdapter } from '@sallyport/teams/readonly/adapters';
import { hashTeam } from '@sallyport/teams/team-hash';
import { TeamShapeSchema, type Team } from '@sallyport/teams/team';
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import type { OperatorTeams } from './operator-teams.ts';

const KEPT_SHOWN = 20;

export type TeamOrigin = 'operator' | 'shipped' | 'task';

export interface KnownTeam {
  name: string;
  hash: string;
  origin: TeamOrigin;
  /** Null when what was kept is no team that this version of the code can read. */
  team: Team | null;
  /** When the first task was admitted with it; null where no recent one was. */
  keptAt: Date | null;
}

/** Each team once, by its hash: the operator's first, then those that ship, then what differs from both. */
export async function listKnownTeams(db: Queryable, operator: OperatorTeams): Promise<KnownTeam[]> {
  const kept = await listTeamVersions(db, KEPT_SHOWN);
  const keptAt = new Map(kept.map((version) => [version.hash, version.keptAt]));
  const known = new Map<string, KnownTeam>();
  function add(team: Team, origin: TeamOrigin): void {
    const hash = hashTeam(team);
    if (known.has(hash)) return;
    known.set(hash, { name: team.name, hash, origin, team, keptAt: keptAt.get(hash) ?? null });
  }
  for (const team of operator.teams) add(team, 'operator');
  for (const team of TEMPLATES) add(team, 'shipped');
  for (const { hash, name, content, keptAt: at } of kept) {
    if (known.has(hash)) continue;
    known.set(hash, { name, hash, origin: 'task', team: readTeam(content), keptAt: at });
  }
  return [...known.values()];
}

/** The team of this name; of several, the first in the order of the list, or the one with this hash. */
export async function findKnownTeam(
  db: Queryable,
  operator: OperatorTeams,
  name: string,
  hash: string | undefined,
): Promise<KnownTeam | undefined> {
  const listed = await listKnownTeams(db, operator);
  const found = listed.find((one) => one.name === name && (hash ?? one.hash) === one.hash);
  if (found !== undefined || hash === undefined) return found;
  const team = readTeam(await findTeamVersion(db, hash));
  return team?.name === name ? { name, hash, origin: 'task', team, keptAt: null } : undefined;
}

/** The agent CLIs without an adapter that known teams name: the operator's own. */
export function ownClis(teams: readonly (Team | null)[]): string[] {
  const named = teams.flatMap((team) => team?.nodes.map((node) => node.agent.cli) ?? []);
  return [...new Set(named)].filter((cli) => findAdapter(cli) === undefined).toSorted();
}

function readTeam(content: unknown): Team | null {
  const parsed = TeamShapeSchema.safeParse(content);
  return parsed.success ? parsed.data : null;
}
