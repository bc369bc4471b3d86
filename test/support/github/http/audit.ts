/**
 * Checks against GitHub's description are put off until somebody asks for violations: compiling the schemas of an operation
 * takes longer than answering it, and a caller's timing should not pay for that.
 */
import { recordViolation, type State } from '../state/state.ts';
import type { Description, Exchange } from './description.ts';

const MAX_WAITING = 500;

export interface Audit {
  request(label: string, exchange: Exchange): void;
  reply(label: string, method: string, path: string, status: number, body: unknown): void;
  /** Makes the checks that wait; what does not fit is then among the violations. */
  settle(): void;
}

export function createAudit(state: State, description: Description): Audit {
  let waiting: (() => void)[] = [];
  const settle = (): void => {
    const now = waiting;
    waiting = [];
    for (const check of now) check();
  };
  const put = (label: string, problem: string, find: () => unknown[]): void => {
    waiting.push(() => {
      const errors = find();
      if (errors.length > 0) recordViolation(state, label, problem, errors);
    });
    if (waiting.length > MAX_WAITING) settle();
  };
  return {
    settle,
    request: (label, exchange) =>
      put(label, 'invalid_request', () => description.checkRequest(exchange)),
    reply: (label, method, path, status, body) =>
      put(label, 'invalid_reply', () => description.checkReply(method, path, status, body)),
  };
}
