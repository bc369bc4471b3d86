/**
 * The environment of the package managers that the bootstrap runs. `npm test` exports npm's whole configuration to its
 * script, and pnpm would take it for its own: `npm --omit=dev test` would leave the test runner out. What tells how to
 * reach the registry stays.
 */

const KEPT = new Set(
  [
    'registry',
    'cafile',
    'ca',
    'proxy',
    'https_proxy',
    'noproxy',
    'strict_ssl',
    'userconfig',
    'globalconfig',
    'cache',
  ].map((name) => `npm_config_${name}`),
);

/** A copy of `env` without npm's leftovers and without a mode that leaves development dependencies out. */
export function installerEnvironment(env) {
  const clean = {};
  for (const [name, value] of Object.entries(env)) {
    const lower = name.toLowerCase();
    if (lower === 'node_env' || lower === 'init_cwd') continue;
    // Scopes and registry credentials: npm_config_@scope:registry, npm_config_//host/:_authToken.
    const kept =
      KEPT.has(lower) || lower.startsWith('npm_config_@') || lower.startsWith('npm_config_//');
    if (/^p?npm_/.test(lower) && !kept) continue;
    clean[name] = value;
  }
  return clean;
}
