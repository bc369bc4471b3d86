/** What the test and its GitHub agree on. */
export const APP = { id: 424_242, slug: 'sallyport' } as const;
export const REPO = { owner: 'octo', name: 'slugs' } as const;
export const REPO_NAME = `${REPO.owner}/${REPO.name}`;
export const WRITER = 'dev-ada';
export const READER = 'guest-bob';
export const GITHUB_PORTS = { http: 8000, https: 8443 } as const;
export const DEPLOYMENT = 'compose_test';
