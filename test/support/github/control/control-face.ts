/** Lets another process drive the stand-in: `POST /_control/<verb>` with `{args: [...]}`, answered with `{result}`. */
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { Reply } from '../http/reply.ts';
import { fromText, toText } from './json.ts';

type Verb = (...args: never[]) => unknown;

export function createControl(
  verbs: Readonly<Record<string, Verb>>,
): (name: string, body: Buffer) => Promise<Reply> {
  return async (name, body) => {
    const headers = { 'content-type': 'application/json' };
    try {
      const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
      if (!verb) throw new AppError('not_found', `finding the verb ${name}`);
      const { args } = fromText(body.toString('utf8')) as { args: never[] };
      const result: unknown = await verb(...args);
      return { status: 200, headers, body: toText({ result: result ?? null }) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return {
        status: 422,
        headers,
        body: toText({ error: { code: errorCodeOf(error), message } }),
      };
    }
  };
}
