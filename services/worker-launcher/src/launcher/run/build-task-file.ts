/**
 * What a step is told about its task, as the JSON that lies at /in/task.json: made of the snapshot alone, reduced to what
 * people could see, with nothing in it that would be worth stealing.
 */
import type { Snapshot } from '@sallyport/shared/task/snapshot';
import { sanitiseRequest } from './sanitise-request.ts';

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
  /** How much of title, body and request was hidden from readers on GitHub and is therefore not here. */
  removed: { comments: number; characters: number };
  step: StepIdentity;
}

/** Builds the content of /in/task.json. */
export function buildTaskFile(taskId: string, snapshot: Snapshot, step: StepIdentity): TaskFile {
  const title = sanitiseRequest(snapshot.subject.title);
  const body = sanitiseRequest(snapshot.subject.body);
  const request = sanitiseRequest(snapshot.command.text);
  const texts = [title, body, request];
  return {
    v: 1,
    task: { id: taskId, verb: snapshot.command.verb },
    repository: { owner: snapshot.repository.owner, name: snapshot.repository.name },
    base: snapshot.base,
    subject: {
      kind: snapshot.subject.kind,
      number: snapshot.subject.number,
      title: title.text.replaceAll('\n', ' '),
      body: body.text,
    },
    request: { login: snapshot.requester.login, text: request.text },
    removed: {
      comments: texts.reduce((sum, t) => sum + t.removedComments, 0),
      characters: texts.reduce((sum, t) => sum + t.removedCharacters, 0),
    },
    step,
  };
}
