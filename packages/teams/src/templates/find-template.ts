/** The teams that ship, parsed once, so that a defect in one shows at the start and not in a run. */
import { parseTeam, type Team, type TeamInput } from '../team.ts';
import { BUG_HUNT } from './bug-hunt.ts';
import { DEV_QA_LOOP } from './dev-qa-loop.ts';
import { DEV_QA } from './dev-qa.ts';
import { FEATURE_SQUAD } from './feature-squad.ts';
import { RELEASE_SHIELD } from './release-shield.ts';

/** In the order in which they are offered; the first two are the starters. */
export const TEMPLATES: readonly Team[] = [
  DEV_QA,
  DEV_QA_LOOP,
  BUG_HUNT,
  RELEASE_SHIELD,
  FEATURE_SQUAD,
].map(parseTemplate);

/** The shipped team with this name, or undefined. */
export function findTemplate(name: string): Team | undefined {
  return TEMPLATES.find((team) => team.name === name);
}

function parseTemplate(template: TeamInput): Team {
  const parsed = parseTeam(template);
  if (!parsed.ok) throw new Error(`template ${template.name}: ${parsed.problems.join('; ')}`);
  return parsed.team;
}
