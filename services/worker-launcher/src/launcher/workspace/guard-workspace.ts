/**
 * The workspace of a launcher whose sandboxes an engine starts: the directories are the guard's, below a root that the
 * launcher cannot write, and are spoken of by the names that they would have below the launcher's own.
 */
import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import { z } from 'zod';
import { nameInWorkspace } from '../sandbox/docker-body.ts';
import type { UsageOf } from '../sandbox/docker-watch.ts';
import { wordsOf, type GuardAnswer, type GuardClient } from './guard-client.ts';
import type { Workspace } from './workspace.ts';

const REFUSALS = z.object({ kind: z.enum(['missing', 'not_a_plain_file', 'too_large']) });
const NAMES = z.array(z.string());
const USAGE = z.object({ bytes: z.number() });

export interface GuardWorkspace extends Workspace {
  /** How many bytes lie in a directory, by the guard's name for it. */
  readonly usageOf: UsageOf;
}

/** Creates the workspace behind this guard, for paths below `stateDir`. */
export function createGuardWorkspace(guard: GuardClient, stateDir: string): GuardWorkspace {
  function placeOf(kind: 'directories' | 'files', path: string): string {
    return `/workspace/${kind}/${nameInWorkspace(path, stateDir)}`;
  }

  return {
    async makeDirectory(path) {
      accept(path, await guard.ask('PUT', placeOf('directories', path)));
    },
    async writeFile(path, content) {
      accept(path, await guard.ask('PUT', placeOf('files', path), Buffer.from(content)));
    },
    async readFile(path, maxBytes) {
      const answer = await guard.ask('GET', `${placeOf('files', path)}?max=${maxBytes}`);
      if (answer.status === 200) return { kind: 'read', bytes: answer.body };
      const refusal = REFUSALS.safeParse(parse(answer));
      if (refusal.success) return { kind: refusal.data.kind };
      throw refused(path, answer);
    },
    // The guard does it whenever it lays such a layer into an overlay: who may not write there cannot change its mode.
    openLayer: () => Promise.resolve(),
    async remove(path) {
      const answer = await guard.ask('DELETE', placeOf('directories', path));
      if (answer.status !== 404) accept(path, answer);
    },
    async list(path) {
      const answer = await guard.ask('GET', placeOf('directories', path));
      if (answer.status === 404) return [];
      return NAMES.parse(parse(accept(path, answer)));
    },
    async usageOf(name) {
      const answer = await guard.ask('GET', `/workspace/usage/${name}`);
      return USAGE.parse(parse(accept(name, answer))).bytes;
    },
  };
}

function accept(path: string, answer: GuardAnswer): GuardAnswer {
  if (answer.status < 200 || answer.status > 299) throw refused(path, answer);
  return answer;
}

function refused(path: string, answer: GuardAnswer): AppError {
  const code: ErrorCode = answer.status >= 500 ? 'internal' : 'forbidden';
  return new AppError(code, `the engine's guard refuses ${path}: ${wordsOf(answer)}`, {
    detail: { status: answer.status },
  });
}

function parse({ body }: GuardAnswer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
