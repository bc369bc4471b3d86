/**
 * The JSON that a step leaves for the next one. An agent wrote it, so every field is bounded and nothing unknown is let
 * through; what it claims is shown as a claim and decides nothing but which edge of the team is taken.
 */
import { z } from 'zod';
import { problemWithTreePath } from './tree-path.ts';

export const HAND_OFF_MAX_BYTES = 256 * 1024;
export const OUTCOMES = ['pass', 'fail', 'done', 'blocked'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export const FINDING_SEVERITIES = ['note', 'warning', 'error'] as const;

const line = z.int().min(1).max(10_000_000);

const FindingSchema = z
  .strictObject({
    path: z.string().superRefine((path, context) => {
      const problem = problemWithTreePath(path);
      if (problem !== undefined)
        context.addIssue({ code: 'custom', message: `the path ${problem}` });
    }),
    line,
    endLine: line.optional(),
    severity: z.enum(FINDING_SEVERITIES),
    reason: z.string().min(1).max(8_000),
  })
  .refine((f) => f.endLine === undefined || f.endLine >= f.line, {
    path: ['endLine'],
    message: 'must not be before line',
  });
export type Finding = z.infer<typeof FindingSchema>;

export const HandOffSchema = z.strictObject({
  v: z.literal(1),
  outcome: z.enum(OUTCOMES),
  summary: z.string().max(32_000),
  findings: z.array(FindingSchema).max(1_000),
  /** Flat on purpose: a nested value could be deep enough to exhaust whoever walks it. */
  claims: z.record(
    z.string().min(1).max(200),
    z.union([z.string().max(32_000), z.number(), z.boolean(), z.null()]),
  ),
});
export type HandOff = z.infer<typeof HandOffSchema>;

export const HAND_OFF_PROBLEMS = ['too_large', 'not_utf8', 'not_json', 'bad_shape'] as const;
export type HandOffProblem = (typeof HAND_OFF_PROBLEMS)[number];

export type ParsedHandOff =
  | { ok: true; handOff: HandOff }
  | { ok: false; problem: HandOffProblem; message: string };

/** Reads a hand-off from its bytes; every refusal says what to mend and never repeats the bytes themselves. */
export function parseHandOff(bytes: Uint8Array): ParsedHandOff {
  if (bytes.byteLength > HAND_OFF_MAX_BYTES) {
    const message = `the hand-off has ${bytes.byteLength} bytes; at most ${HAND_OFF_MAX_BYTES} are taken`;
    return { ok: false, problem: 'too_large', message };
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { ok: false, problem: 'not_utf8', message: 'the hand-off is not UTF-8 text' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'not_json', message: 'the hand-off is not JSON' };
  }
  const parsed = HandOffSchema.safeParse(value);
  if (parsed.success) return { ok: true, handOff: parsed.data };
  return { ok: false, problem: 'bad_shape', message: describeIssues(parsed.error.issues) };
}

const SHOWN_ISSUES = 10;

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const shown = issues.slice(0, SHOWN_ISSUES).map((i) => {
    // Unknown keys are the agent's words; their place is enough.
    const what = i.code === 'unrecognized_keys' ? 'has a field that is not known' : i.message;
    return `${i.path.length === 0 ? 'the hand-off' : i.path.slice(0, 3).map(String).join('.').slice(0, 120)}: ${what}`;
  });
  const rest = issues.length - shown.length;
  return shown.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
