/**
 * What a team is: agents at the nodes, hand-offs along the edges. Whoever holds a team that `parseTeam` let through need
 * not ask again whether it can run: names are unique, edges lead somewhere, it ends, and no two writers meet.
 */
import { z } from 'zod';
import { OUTCOMES } from './hand-off.ts';
import { READ_ONLY_LEVELS, WRITE_ATTEMPT_ACTIONS } from './restriction-words.ts';
import { describeProblem } from './team-problem.ts';
import { validateTeam } from './validate-team.ts';

export const NODE_ID_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;
export const CLI_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;
const NAME_RULE = 'use a-z, 0-9 and -, a letter first, at most 40 characters';

export const DEFAULT_MAX_VISITS = 3;

const AgentSchema = z.strictObject({
  cli: z
    .string()
    .regex(CLI_PATTERN, NAME_RULE)
    .describe("The name of the agent's command line program, by which its adapter is chosen."),
  command: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe("The program inside the sandbox, when the operator's own is not meant."),
  args: z
    .array(z.string().max(10_000))
    .max(200)
    .optional()
    .describe('Arguments for this agent. What would loosen a read-only step is taken out again.'),
  model: z.string().min(1).max(200).optional().describe("The model, in the agent CLI's own words."),
  autonomous: z
    .union([z.boolean(), z.string().regex(NODE_ID_PATTERN)])
    .optional()
    .describe("Runs without asking: true for the adapter's usual mode, or the name of a mode."),
  readOnly: z
    .boolean()
    .optional()
    .describe('A restriction that this agent carries wherever it is used.'),
});

const NodeSchema = z.strictObject({
  id: z.string().regex(NODE_ID_PATTERN, NAME_RULE),
  agent: AgentSchema,
  prompt: z
    .string()
    .max(64_000)
    .describe('What this node is told to be; the task itself is added to it.'),
  readOnly: z.boolean().default(false).describe('True for a node that judges and must not write.'),
  readOnlyLevel: z
    .enum(READ_ONLY_LEVELS)
    .default('reflex')
    .describe('How much a read-only node is refused: noShell takes the shell away too.'),
  onWriteAttempt: z
    .enum(WRITE_ATTEMPT_ACTIONS)
    .default('note')
    .describe('What follows when a read-only node tried to change tracked files.'),
  join: z
    .enum(['all', 'any'])
    .optional()
    .describe(
      'all (the default): wait for every branch that can still arrive. any: one visit per arrival.',
    ),
  maxVisits: z
    .int()
    .min(1)
    .max(20)
    .default(DEFAULT_MAX_VISITS)
    .describe('How often a run may come to this node; this bounds every loop.'),
  timeoutMinutes: z
    .int()
    .min(1)
    .max(24 * 60)
    .default(30),
  attempts: z.int().min(1).max(5).default(1),
});
export type TeamNode = z.infer<typeof NodeSchema>;

const EdgeSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  on: z
    .enum(OUTCOMES)
    .optional()
    .describe('The outcome for which this edge is taken; absent: for every outcome.'),
});
export type TeamEdge = z.infer<typeof EdgeSchema>;

/** The shape alone: what each field may hold, and no word about how the fields fit together. */
export const TeamShapeSchema = z.strictObject({
  v: z.literal(1),
  name: z.string().regex(NODE_ID_PATTERN, NAME_RULE),
  description: z.string().max(2_000).optional(),
  readOnly: z.boolean().default(false).describe('True makes every node of this team read-only.'),
  readOnlyLevel: z.enum(READ_ONLY_LEVELS).default('reflex'),
  entry: z
    .array(z.string())
    .min(1)
    .max(50)
    .optional()
    .describe('The nodes at which a run begins; absent: those to which no edge leads.'),
  nodes: z.array(NodeSchema).min(1).max(50),
  edges: z.array(EdgeSchema).max(500).default([]),
});

/** A team in which names are unique and every edge leads somewhere. `parseTeam` asks for more. */
export const TeamSchema = TeamShapeSchema.superRefine((team, context) => {
  for (const problem of validateTeam(team)) {
    if (problem.code !== 'duplicate_id' && problem.code !== 'edge_to_nowhere') continue;
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.message });
  }
});
export type Team = z.infer<typeof TeamSchema>;
/** A team as somebody writes it, with the defaults left out. */
export type TeamInput = z.input<typeof TeamSchema>;

export type ParsedTeam = { ok: true; team: Team } | { ok: false; problems: string[] };

/** Checks a team that was read from YAML, JSON or a table, shape and graph; every problem names its place. */
export function parseTeam(value: unknown): ParsedTeam {
  const parsed = TeamShapeSchema.safeParse(value);
  if (!parsed.success) {
    return {
      ok: false,
      problems: parsed.error.issues.map(
        (i) => `${i.path.map(String).join('.') || 'the team'}: ${i.message}`,
      ),
    };
  }
  const errors = validateTeam(parsed.data).filter((p) => p.severity === 'error');
  if (errors.length === 0) return { ok: true, team: parsed.data };
  return { ok: false, problems: errors.map(describeProblem) };
}
