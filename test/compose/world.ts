/** What the test and its GitHub agree on. */
/** As README has them. */
export const APP = { id: 123_456, slug: 'my-sallyport' } as const;
export const APP_KEY_NAME = 'my-sallyport.private-key.pem';
export const REPO = { owner: 'octo', name: 'slugs' } as const;
export const REPO_NAME = `${REPO.owner}/${REPO.name}`;
export const WRITER = 'dev-ada';
export const READER = 'guest-bob';
export const GITHUB_PORTS = { http: 8000, https: 8443 } as const;
/** What the set-up takes when none is named. */
export const DEPLOYMENT = 'sallyport';
