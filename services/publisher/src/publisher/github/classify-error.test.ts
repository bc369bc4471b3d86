import { AppError } from '@sallyport/shared/errors';
import { describe, expect, it } from 'vitest';
import { classifyGithubError } from './classify-error.ts';

const request = { method: 'POST', url: '/repos/{owner}/{repo}/pulls' };

function classify(
  status: number,
  headers: Record<string, string> = {},
  data: unknown = {},
): AppError {
  return classifyGithubError({ status, response: { status, headers, data } }, request);
}

describe('classifying what GitHub answered', () => {
  it.each([
    [500, 'transient'],
    [502, 'transient'],
    [504, 'transient'],
    [401, 'forbidden'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [410, 'not_found'],
    [451, 'not_found'],
    [409, 'conflict'],
    [422, 'bad_input'],
    [400, 'bad_input'],
    [418, 'internal'],
  ] as const)('%i is %s', (status, code) => {
    expect(classify(status)).toMatchObject({ code, detail: { status } });
  });

  it('takes a cut connection for no answer, not for a server error', () => {
    const error = classifyGithubError(
      Object.assign(new Error('other side closed'), { status: 500 }),
      request,
    );
    expect(error).toMatchObject({ code: 'transient', detail: { status: null } });
  });

  it.each([
    ['a retry-after', 403, { 'retry-after': '17' }, {}, 17],
    [
      'an empty budget',
      403,
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 90),
      },
      {},
      90,
    ],
    [
      'the secondary limit without headers',
      403,
      {},
      { documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api' },
      60,
    ],
    ['a bare 429', 429, {}, {}, 60],
    ['a wait without end', 429, { 'retry-after': '999999' }, {}, 3600],
  ] as const)('takes %s for a rate limit', (_, status, headers, data, seconds) => {
    const error = classify(status, headers, data);
    expect(error.code).toBe('rate_limited');
    expect(Math.abs(Number(error.detail['retryAfterSeconds']) - seconds)).toBeLessThanOrEqual(1);
  });

  it('takes a refusal with budget left for a refusal', () => {
    expect(classify(403, { 'x-ratelimit-remaining': '4999' }).code).toBe('forbidden');
  });

  it('keeps what a validation error says in machine words', () => {
    const error = classify(
      422,
      {},
      {
        errors: [
          { resource: 'PullRequest', code: 'custom', message: 'free text' },
          'a string',
          null,
        ],
      },
    );
    expect(error.detail['reasons']).toEqual(['PullRequest::custom', '::', '::']);
  });

  it('lets no header of the request through', () => {
    const raw = {
      status: 404,
      response: { status: 404, headers: {}, data: {} },
      request: { headers: { authorization: 'bearer x' } },
    };
    const error = classifyGithubError(raw, request);
    expect(JSON.stringify([error.message, error.detail, error.cause ?? null])).not.toContain(
      'bearer',
    );
  });

  it('leaves an error of this system as it is', () => {
    const error = new AppError('halted', 'halted');
    expect(classifyGithubError(error, request)).toBe(error);
  });
});
