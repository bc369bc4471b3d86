import { describe, expect, it } from 'vitest';
import { installerEnvironment } from './environment.mjs';

describe('installerEnvironment', () => {
  it('drops what npm exports to its scripts and what leaves development dependencies out', () => {
    const env = {
      npm_config_omit: 'dev',
      npm_lifecycle_event: 'test',
      NPM_CONFIG_PREFIX: '/x',
      NODE_ENV: 'production',
    };
    expect(installerEnvironment({ ...env, PATH: '/bin', HOME: '/root' })).toEqual({
      PATH: '/bin',
      HOME: '/root',
    });
  });

  it('keeps how to reach the registry', () => {
    const env = {
      npm_config_registry: 'https://registry.example',
      NPM_CONFIG_CAFILE: '/ca.pem',
      'npm_config_//registry.example/:_authToken': 't',
      HTTPS_PROXY: 'http://proxy.example',
    };
    expect(installerEnvironment(env)).toEqual(env);
  });
});
