/**
 * The request, frozen at admission: what was asked, by whom, on what. The agent reads this alone, and the publisher
 * compares it with what GitHub says later, so that an edit between asking and publishing is found.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const gitSha = z.string().regex(/^[0-9a-f]{40}$/);

export const SnapshotSchema = z.strictObject({
  v: z.literal(1),
  delivery: z.strictObject({ id: z.uuid(), guid: z.string(), event: z.string() }),
  repository: z.strictObject({ id: z.int(), owner: z.string(), name: z.string() }),
  installationId: z.int(),
  subject: z.strictObject({
    kind: z.enum(['issue', 'pull_request']),
    number: z.int(),
    title: z.string(),
    body: z.string(),
    authorId: z.int().nullable(),
    updatedAt: z.string(),
  }),
  /** The comment that asked. Its text hash and edit time are what the publisher confirms. */
  trigger: z.strictObject({
    kind: z.literal('issue_comment'),
    id: z.int(),
    authorId: z.int(),
    authorLogin: z.string(),
    text: z.string(),
    textSha256: sha256,
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
  requester: z.strictObject({ id: z.int(), login: z.string(), role: z.string() }),
  command: z.strictObject({ verb: z.string(), text: z.string(), team: z.string() }),
  base: z.strictObject({ ref: z.string(), sha: gitSha }),
});
export type Snapshot = z.infer<typeof SnapshotSchema>;

/** The bytes of a snapshot as stored, and their hash as it stands in the ticket. */
export function encodeSnapshot(snapshot: Snapshot): { content: Buffer; sha256: string } {
  const content = Buffer.from(JSON.stringify(SnapshotSchema.parse(snapshot)), 'utf8');
  return { content, sha256: hashBytes(content) };
}

/** The snapshot in stored bytes. @throws ZodError or SyntaxError when they are none. */
export function decodeSnapshot(content: Buffer): Snapshot {
  return SnapshotSchema.parse(JSON.parse(content.toString('utf8')));
}

/** The hash under which a text from GitHub is compared later. */
export function hashText(text: string): string {
  return hashBytes(Buffer.from(text, 'utf8'));
}

function hashBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
