import { describe, expect, it } from 'vitest';
import { programsFor } from './needs.mjs';

const commands = (argv, env = {}) => programsFor(argv, env).map(({ command }) => command);

describe('programsFor', () => {
  it('asks for what the command runs', () => {
    expect(commands(['demo'])).toEqual(['git', 'redis-server', 'bwrap']);
    expect(commands(['dev', 'test', '--project', 'unit'])).toEqual([
      'git',
      'redis-server',
      'bwrap',
    ]);
    expect(commands(['policy', 'check', '--repo', '.'])).toEqual(['git']);
  });

  it('asks for a browser where that suite is chosen, and nowhere else', () => {
    const all = ['git', 'redis-server', 'bwrap', 'chromium'];
    expect(commands(['dev', 'test', '--project', 'browser'])).toEqual(all);
    expect(commands(['dev', 'test', '--project=browser', '--bail', '1'])).toEqual(all);
    expect(commands(['dev', 'test'])).not.toContain('chromium');
    expect(commands(['dev', 'test', '--project', 'unit', 'browser'])).not.toContain('chromium');
  });

  it('asks for nothing that the command line or the environment makes unnecessary', () => {
    expect(commands(['readonly', 'claude'])).toEqual([]);
    expect(commands(['demo', '--help'])).toEqual([]);
    expect(commands(['demo', '--driver', 'docker'])).toEqual(['git', 'redis-server']);
    expect(commands(['demo', '--driver=docker'], { REDIS_URL_FILE: '/run/redis-url' })).toEqual([
      'git',
    ]);
  });

  it('does not take words behind -- for its own', () => {
    expect(commands(['demo', '--', '--help'])).toEqual(['git', 'redis-server', 'bwrap']);
  });
});
