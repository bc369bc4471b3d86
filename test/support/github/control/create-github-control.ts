/** The client of the stand-in's control face: the same verbs as the object in one process, each as a promise. */
import { AppError, ERROR_CODES, type ErrorCode } from '@sallyport/shared/errors';
import type { Github } from '../create-github.ts';
import { fromText, toText } from './json.ts';

type VerbName = {
  [K in keyof Github]: Github[K] extends (...args: never[]) => unknown ? K : never;
}[keyof Github];

export type GithubControl = {
  readonly [K in Exclude<VerbName, 'close'>]: (
    ...args: Parameters<Github[K]>
  ) => Promise<Awaited<ReturnType<Github[K]>>>;
};

/**
 * Drives a stand-in in another process. An error there is an `AppError` here, with the same code and message.
 * @param url the stand-in's `url`, without `/api`
 * @param token its `controlToken`
 */
export function createGithubControl(url: string, token: string): GithubControl {
  const call = async (verb: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(`${url}/_control/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: toText({ args }),
    });
    const text = await response.text();
    if (response.status === 401)
      throw new AppError('forbidden', 'driving the GitHub stand-in: the control token was refused');
    const answer = fromText(text) as {
      result?: unknown;
      error?: { code: string; message: string };
    };
    if (answer.error) {
      const code =
        ERROR_CODES.find((known): known is ErrorCode => known === answer.error?.code) ?? 'internal';
      throw new AppError(code, answer.error.message);
    }
    return answer.result;
  };
  return new Proxy({} as GithubControl, {
    get: (_, verb) =>
      typeof verb === 'string' && verb !== 'then'
        ? (...args: unknown[]) => call(verb, args)
        : undefined,
  });
}
