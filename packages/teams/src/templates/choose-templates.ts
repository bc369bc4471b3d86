/**
 * The shipped teams, for the agent CLI that this deployment has: the operator names one, and every node of the chosen
 * templates gets it. Who is read-only in them is not the operator's to take back here.
 */
import { findTemplate, TEMPLATES } from './find-template.ts';
import type { Team } from '../team.ts';
import { z } from 'zod';

export const TemplatesSchema = z.strictObject({
  /** The agent CLI, by its name in AGENTS_FILE of the launcher. */
  cli: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/)
    .default('claude'),
  model: z.string().min(1).max(200).optional(),
  /** The templates to offer; all of them when it is left out. */
  only: z.array(z.string()).min(1).max(100).optional(),
});
export type TemplatesInput = z.infer<typeof TemplatesSchema>;

export interface ChosenTemplates {
  teams: readonly Team[];
  problems: readonly string[];
}

/** The templates that are asked for, and what is wrong with the question. */
export function chooseTemplates({ cli, model, only }: TemplatesInput): ChosenTemplates {
  const names = only ?? TEMPLATES.map((team) => team.name);
  const known = TEMPLATES.map((team) => team.name).join(', ');
  const problems = names
    .filter((name) => findTemplate(name) === undefined)
    .map((name) => `templates.only: there is no template "${name}" (there is: ${known})`);
  const teams = TEMPLATES.filter((team) => names.includes(team.name)).map((team) => ({
    ...team,
    nodes: team.nodes.map((node) => ({
      ...node,
      agent: { ...node.agent, cli, ...(model === undefined ? {} : { model }) },
    })),
  }));
  return { teams, problems };
}
