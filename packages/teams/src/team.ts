/**
 * What a team is: agents at the nodes, hand-offs along the edges. The schema refuses what could not run (a repeated name,
 * an edge to nowhere), so that whoever holds a parsed team need not ask again.
 */
import { z } from 'zod';
import { OUTCOMES } from './hand-off.ts';

export const NODE_ID_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;
const CLI_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;

const NodeSchema = z.strictObject({
  id: z.string().regex(NODE_ID_PATTERN),
  agent: z.strictObject({
    /** The name of the agent's command line program, by which its adapter is chosen. */
    cli: z.string().regex(CLI_PATTERN),
    /** The program inside the sandbox, when the adapter's own default is not meant. */
    command: z.string().min(1).max(1_000).optional(),
    args: z.array(z.string().max(10_000)).max(200).optional(),
    model: z.string().min(1).max(200).optional(),
  }),
  /** What this node is told to be; the task itself is added to it. */
  prompt: z.string().max(64_000),
  readOnly: z.boolean().default(false),
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
  /** The outcome for which this edge is taken; absent: for every outcome. */
  on: z.enum(OUTCOMES).optional(),
});
export type TeamEdge = z.infer<typeof EdgeSchema>;

export const TeamSchema = z
  .strictObject({
    v: z.literal(1),
    name: z.string().regex(NODE_ID_PATTERN),
    nodes: z.array(NodeSchema).min(1).max(50),
    edges: z.array(EdgeSchema).max(500).default([]),
  })
  .superRefine((team, context) => {
    const ids = new Set<string>();
    for (const [i, node] of team.nodes.entries()) {
      if (ids.has(node.id)) {
        context.addIssue({
          code: 'custom',
          path: ['nodes', i, 'id'],
          message: `"${node.id}" stands twice`,
        });
      }
      ids.add(node.id);
    }
    for (const [i, edge] of team.edges.entries()) {
      for (const end of ['from', 'to'] as const) {
        if (ids.has(edge[end])) continue;
        const message = `there is no node "${edge[end]}"`;
        context.addIssue({ code: 'custom', path: ['edges', i, end], message });
      }
    }
  });
export type Team = z.infer<typeof TeamSchema>;

export type ParsedTeam = { ok: true; team: Team } | { ok: false; problems: string[] };

/** Checks a team that was read from YAML, JSON or a table; every problem names its place. */
export function parseTeam(value: unknown): ParsedTeam {
  const parsed = TeamSchema.safeParse(value);
  if (parsed.success) return { ok: true, team: parsed.data };
  return {
    ok: false,
    problems: parsed.error.issues.map(
      (i) => `${i.path.map(String).join('.') || 'the team'}: ${i.message}`,
    ),
  };
}
