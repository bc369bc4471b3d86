/** Input of people and scripts, held against a strict shape before anything looks at it. */
import type { FastifyInstance } from 'fastify';
import { AppError } from '@sallyport/shared/errors';
import type { z } from 'zod';

/** Lets the server read HTML forms as flat objects of texts; the last of two fields of one name counts. */
export function addFormParser(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

/** The input in its shape. @throws AppError `bad_input` that names each field that is wrong. */
export function readInput<S extends z.ZodType>(schema: S, input: unknown): z.infer<S> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`,
  );
  throw new AppError('bad_input', problems.join('; '));
}
