/** The whole route table of the REST face. */
import type { Hooks } from '../hooks/deliver.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { ok } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { APP_ROUTES } from './app-routes.ts';
import { BRANCH_ROUTES } from './branch-routes.ts';
import { COMMENT_ROUTES } from './comment-routes.ts';
import { CONTENT_ROUTES } from './content-routes.ts';
import { createDeliveryRoutes } from './delivery-routes.ts';
import { GIT_OBJECT_ROUTES } from './git-object-routes.ts';
import { ISSUE_ROUTES } from './issue-routes.ts';
import { createManifestRoutes } from './manifest-routes.ts';
import { PULL_ROUTES } from './pull-routes.ts';
import { REF_ROUTES } from './ref-routes.ts';
import { REPOSITORY_ROUTES } from './repository-routes.ts';
import { REVIEW_ROUTES } from './review-routes.ts';

export function createRoutes(parts: {
  readonly hooks: Hooks;
  readonly rateLimit: RateLimit;
  readonly privateKey: string;
}): readonly Route[] {
  return [
    ...APP_ROUTES,
    ...REPOSITORY_ROUTES,
    ...ISSUE_ROUTES,
    ...COMMENT_ROUTES,
    ...PULL_ROUTES,
    ...REVIEW_ROUTES,
    ...REF_ROUTES,
    ...GIT_OBJECT_ROUTES,
    ...CONTENT_ROUTES,
    ...BRANCH_ROUTES,
    ...createDeliveryRoutes(parts.hooks),
    ...createManifestRoutes(parts.privateKey),
    {
      method: 'GET',
      path: '/rate_limit',
      auth: 'any',
      handle: ({ actor }) => ok(parts.rateLimit.view(actor)),
    },
  ];
}
