/**
 * What a step is told about its task, as the JSON that lies at /in/task.json: made of the snapshot alone, reduced to what
 * people could see, with nothing in it that would be worth stealing.
 */
import type { Snapshot } from '@sallyport/shared/task/snapshot';
import type { Withheld } from '../collector/configuration.ts';
import { sumRemoved, type Removed } from '../request/hidden-kinds.ts';
import { sanitiseRequest } from '../request/sanitise-request.ts';

export interface StepIdentity {
  node: string;
  visit: number;
  attempt: number;
  readOnly: boolean;
}

export interface TaskFile {
  v: 1;
  task: { id: string; verb: string };
  repository: { owner: string; name: string };
  base: { ref: string; sha: string };
  subject: { kind: 'issue' | 'pull_request'; number: number; title: string; body: string };
  request: { login: string; text: string };
  /** How much of title, body and request was hidden from readers on GitHub and is therefore not here, by kind. */
  removed: Removed;
  /** Paths that steer agents and that the step sees as the base commit has them, not as earlier steps left them. */
  withheld: { count: number; paths: string[] };
  step: StepIdentity;
}

export interface Request {
  title: string;
  body: string;
  request: string;
  removed: Removed;
}

/** The texts of the task as people could see them, and how much was taken out of all three together. */
export function readRequest({ subject, command }: Snapshot): Request {
  const title = sanitiseRequest(subject.title);
  const body = sanitiseRequest(subject.body);
  const request = sanitiseRequest(command.text);
  const removed = sumRemoved([title.removed, body.removed, request.removed]);
  return { title: title.text, body: body.text, request: request.text, removed };
}

/** Builds the content of /in/task.json. */
export function buildTaskFile(
  taskId: string,
  snapshot: Snapshot,
  step: StepIdentity,
  { withheldCount, withheld }: Withheld,
): TaskFile {
  const { title, body, request, removed } = readRequest(snapshot);
  return {
    v: 1,
    task: { id: taskId, verb: snapshot.command.verb },
    repository: { owner: snapshot.repository.owner, name: snapshot.repository.name },
    base: snapshot.base,
    subject: {
      kind: snapshot.subject.kind,
      number: snapshot.subject.number,
      title: title.replaceAll('\n', ' '),
      body,
    },
    request: { login: snapshot.requester.login, text: request },
    removed,
    withheld: { count: withheldCount, paths: withheld },
    step,
  };
}
