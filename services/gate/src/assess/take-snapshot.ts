/** Freezes a request: the comment and the issue as the requester saw them, who asked in which role, and the start commit. */
import type { DeliveryRow } from '@sallyport/shared/db/delivery';
import { hashText, type Snapshot } from '@sallyport/shared/task/snapshot';
import type { CommandEvent } from '../delivery/parse-delivery.ts';

export interface SnapshotFacts {
  delivery: Pick<DeliveryRow, 'id' | 'guid' | 'event'>;
  event: CommandEvent;
  role: string;
  team: string;
  base: { ref: string; sha: string };
  subject: { authorId: number | null; updatedAt: string };
}

export function takeSnapshot(facts: SnapshotFacts): Snapshot {
  const { delivery, event } = facts;
  return {
    v: 1,
    delivery: { id: delivery.id, guid: delivery.guid, event: delivery.event },
    repository: event.repository,
    installationId: event.installationId,
    // The text is the delivery's: an edit between the command and this moment is nothing that the requester asked for.
    subject: { ...event.subject, ...facts.subject },
    trigger: {
      kind: 'issue_comment',
      id: event.comment.id,
      authorId: event.requester.id,
      authorLogin: event.requester.login,
      text: event.comment.text,
      textSha256: hashText(event.comment.text),
      createdAt: event.comment.createdAt,
      updatedAt: event.comment.updatedAt,
    },
    requester: { ...event.requester, role: facts.role },
    command: { verb: event.command.verb, text: event.command.text, team: facts.team },
    base: facts.base,
  };
}
