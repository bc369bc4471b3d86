import { expect, test } from 'vitest';
import { parseTarget } from './request-target.ts';

test('a target is its parts and its parameters, with or without the version', () => {
  for (const version of ['', '/v1.41']) {
    const { segments, query } = parseTarget(`${version}/containers/create?name=a-b_c.d`);
    expect(segments).toEqual(['containers', 'create']);
    expect([...query]).toEqual([['name', 'a-b_c.d']]);
  }
});

test.each([
  ['/v1.41/../containers/json', '/v1.41/containers/json'],
  ['/containers/./json', '/containers/json'],
  ['/containers/%2e%2e/json', '/containers/json'],
  ['/containers%2fjson', '/containers/json'],
  ['//containers/json', '/containers/json'],
  ['/containers/json/', '/containers/json'],
  ['/containers//json', '/containers/json'],
  ['/containers/json#x', '/containers/json'],
  ['/containers/json;x', '/containers/json'],
  ['/containers\\json', '/containers/json'],
  ['http://engine/containers/json', '/containers/json'],
  ['*', '/_ping'],
  ['', '/_ping'],
  ['/', '/_ping'],
  ['/v1.40/info', '/v1.41/info'],
  ['/v1.41/v1.41/info', '/v1.41/info'],
  ['/containers/json?all=1?all=0', '/containers/json?all=1'],
  ['/containers/json?all=1&all=0', '/containers/json?all=1'],
  ['/containers/json?all=1&', '/containers/json?all=1'],
  ['/containers/json?filters=%7B%7D', '/containers/json?filters='],
  ['/containers/json?All=1', '/containers/json?all=1'],
])('%s is refused', (hostile, twin) => {
  expect(() => parseTarget(hostile)).toThrow(/not written plainly|not offered|twice|two queries/);
  expect(parseTarget(twin).segments.length).toBeGreaterThan(0);
});
