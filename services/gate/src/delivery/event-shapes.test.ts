/** Shapes: a payload under another event's name is found out. Every published example is compared in the integration suite. */
import { describe, expect, it } from 'vitest';
import { compareShape } from './event-shapes.ts';

describe('compareShape', () => {
  const comment = { action: 'created', issue: {}, comment: {}, repository: {}, sender: {} };

  it('accepts a payload under its own name and refuses it under others', () => {
    expect(compareShape('issue_comment', comment)).toBe('fits');
    for (const event of [
      'issues',
      'pull_request',
      'pull_request_review_comment',
      'commit_comment',
      'push',
      'ping',
    ]) {
      expect(compareShape(event, comment)).toBe('mismatch');
    }
  });

  it('takes no other comment for one on an issue', () => {
    expect(compareShape('issue_comment', { ...comment, pull_request: {} })).toBe('mismatch');
    expect(compareShape('issue_comment', { ...comment, discussion: {} })).toBe('mismatch');
  });

  it('knows nothing of events that are not in its list, also when they are named like parts of an object', () => {
    for (const event of ['star', 'constructor', '__proto__', 'toString']) {
      expect(compareShape(event, comment)).toBe('unknown_event');
    }
  });

  it('looks at the keys of the payload alone', () => {
    expect(compareShape('issue_comment', Object.create(comment) as Record<string, unknown>)).toBe(
      'mismatch',
    );
  });
});
