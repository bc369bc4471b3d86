/**
 * Requests to GitHub, as the App or with a token: bounded in time, with the version of the API that this code was written
 * for, never repeated and never redirected on a write. Every failure leaves here as an AppError.
 */
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { AppError } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import type { AppKey } from './app-key.ts';
import { classifyGithubError } from './classify-error.ts';

export const GITHUB_API_VERSION = '2022-11-28';
const REQUEST_TIMEOUT_MS = 10_000;

export interface GithubOptions {
  /** `https://api.github.com`, or `https://HOST/api/v3` of an enterprise server; no slash at the end. */
  apiUrl: string;
  appId: number;
  keys: readonly [AppKey, ...AppKey[]];
  log: Logger;
  timeoutMs?: number;
}

export interface Github {
  /**
   * Asks as the App itself. When GitHub refuses the first key and there is a second, that one is tried, and an error is
   * logged: somebody removed a key from the App before the deployment had the new one alone.
   */
  asApp<T>(use: (octokit: Octokit, key: AppKey) => Promise<T>): Promise<T>;
  withToken(token: string): Octokit;
}

export function createGithub(options: GithubOptions): Github {
  const { keys, log, appId } = options;
  const apps = keys.map((key) => ({
    key,
    octokit: createOctokit(options, {
      authStrategy: createAppAuth,
      auth: {
        appId,
        createJwt: (_: unknown, offsetSeconds?: number) =>
          Promise.resolve(key.createJwt(appId, offsetSeconds)),
      },
    }),
  }));
  return {
    async asApp(use) {
      for (const [index, { key, octokit }] of apps.entries()) {
        try {
          // oxlint-disable-next-line no-await-in-loop -- the second key is tried only after the first was refused
          return await use(octokit, key);
        } catch (error) {
          if (!isKeyRefused(error) || index === apps.length - 1) throw error;
          log.error(
            { fingerprint: key.fingerprint },
            'GitHub refuses the first App key; trying the second',
          );
        }
      }
      throw new AppError('internal', 'no App key');
    },
    withToken: (token) => createOctokit(options, { auth: token }),
  };
}

function isKeyRefused(error: unknown): boolean {
  return error instanceof AppError && error.code === 'forbidden' && error.detail['status'] === 401;
}

function createOctokit(
  options: GithubOptions,
  auth: { authStrategy?: unknown; auth: unknown },
): Octokit {
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
  function quiet(): void {}
  const octokit = new Octokit({
    ...auth,
    baseUrl: options.apiUrl,
    userAgent: 'sallyport',
    request: {
      // A redirected POST is repeated as a GET by fetch, whose answer looks like success.
      fetch: (url: string, init: RequestInit) =>
        fetch(url, {
          ...init,
          redirect: init.method === 'GET' ? 'follow' : 'manual',
          signal: init.signal ?? AbortSignal.timeout(timeoutMs),
        }),
    },
    log: {
      debug: quiet,
      info: quiet,
      warn: (message: string) => options.log.warn({ message }, 'GitHub client warns'),
      error: quiet,
    },
  });
  octokit.hook.before('request', (request) => {
    request.headers['x-github-api-version'] = GITHUB_API_VERSION;
  });
  octokit.hook.after('request', (response, request) => {
    if (response.status >= 300) {
      throw new AppError(
        'transient',
        `${request.method} ${request.url}: the repository has moved`,
        {
          detail: { status: response.status },
        },
      );
    }
  });
  octokit.hook.error('request', (error, request) => {
    throw classifyGithubError(error, request);
  });
  return octokit;
}
