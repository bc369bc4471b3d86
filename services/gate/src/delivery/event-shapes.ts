/**
 * What the payload of each event must carry and must not. The signature covers the body alone: who replays a captured
 * body may give it another event's name, and must not thereby turn a comment on a line into a comment on an issue.
 */

interface EventShape {
  has: readonly string[];
  lacks: readonly string[];
}

const COMMENT_FREE = ['comment', 'review', 'thread'];

const EVENT_SHAPES: Readonly<Record<string, EventShape>> = {
  ping: { has: ['zen', 'hook_id'], lacks: ['action'] },
  push: { has: ['ref', 'before', 'after', 'commits'], lacks: ['action'] },
  installation: {
    has: ['action', 'installation'],
    lacks: ['issue', 'comment', 'repositories_added'],
  },
  installation_repositories: {
    has: ['action', 'installation', 'repositories_added'],
    lacks: ['issue', 'comment'],
  },
  issues: { has: ['action', 'issue'], lacks: COMMENT_FREE },
  issue_comment: {
    has: ['action', 'issue', 'comment'],
    lacks: ['pull_request', 'review', 'discussion', 'thread'],
  },
  pull_request: { has: ['action', 'pull_request', 'number'], lacks: [...COMMENT_FREE, 'issue'] },
  pull_request_review: {
    has: ['action', 'pull_request', 'review'],
    lacks: ['comment', 'issue', 'thread'],
  },
  pull_request_review_comment: {
    has: ['action', 'pull_request', 'comment'],
    lacks: ['issue', 'review'],
  },
  pull_request_review_thread: {
    has: ['action', 'pull_request', 'thread'],
    lacks: ['issue', 'comment'],
  },
  commit_comment: { has: ['action', 'comment'], lacks: ['issue', 'pull_request', 'discussion'] },
  discussion_comment: {
    has: ['action', 'discussion', 'comment'],
    lacks: ['issue', 'pull_request'],
  },
  check_run: { has: ['action', 'check_run'], lacks: ['issue', 'comment'] },
  check_suite: { has: ['action', 'check_suite'], lacks: ['issue', 'comment', 'check_run'] },
  repository: {
    has: ['action', 'repository'],
    lacks: ['issue', 'comment', 'pull_request', 'label'],
  },
  label: { has: ['action', 'label'], lacks: ['issue', 'comment', 'pull_request'] },
};

/** `unknown_event`: nothing is known about an event of this name. */
export type ShapeFinding = 'fits' | 'mismatch' | 'unknown_event';

/** Whether an event of this name is known. */
export function isKnownEvent(event: string): boolean {
  return Object.hasOwn(EVENT_SHAPES, event);
}

/** Whether a payload can be of the event under whose name it came. */
export function compareShape(
  event: string,
  payload: Readonly<Record<string, unknown>>,
): ShapeFinding {
  const shape = isKnownEvent(event) ? EVENT_SHAPES[event] : undefined;
  if (shape === undefined) return 'unknown_event';
  const fits =
    shape.has.every((key) => Object.hasOwn(payload, key)) &&
    !shape.lacks.some((key) => Object.hasOwn(payload, key));
  return fits ? 'fits' : 'mismatch';
}
