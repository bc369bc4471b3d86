import { expect, test } from 'vitest';
import { parseTarget } from './request-target.ts';
import { findRoute, type Route } from './router.ts';

const handle: Route['handle'] = () => Promise.resolve({ status: 200 });
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/containers/json', query: { all: /^1$/ }, handle },
  { method: 'GET', path: '/containers/:id/json', handle },
  { method: 'PUT', path: '/workspace/files/*name', handle },
];
const find = (method: string, target: string) => findRoute(ROUTES, method, parseTarget(target));

test('a route is found by its method and its path, and its parts are told', () => {
  expect(find('GET', '/containers/json?all=1').route).toBe(ROUTES[0]);
  expect([...find('GET', '/v1.41/containers/abc/json').parts]).toEqual([['id', 'abc']]);
  expect([...find('PUT', '/workspace/files/runs/r/x').parts]).toEqual([['name', 'runs/r/x']]);
});

test.each([
  ['POST', '/containers/json', 'GET', '/containers/json'],
  ['get', '/containers/json', 'GET', '/containers/json'],
  ['GET', '/containers/abc/json/more', 'GET', '/containers/abc/json'],
  ['GET', '/containers', 'GET', '/containers/json'],
  ['GET', '/Containers/json', 'GET', '/containers/json'],
  ['PUT', '/workspace/files', 'PUT', '/workspace/files/x'],
])('%s %s is not offered', (method, target, twinMethod, twin) => {
  expect(() => find(method, target)).toThrow('is not offered');
  expect(find(twinMethod, twin)).toBeDefined();
});

test('a parameter that a route does not know, or a value that it does not, is refused', () => {
  expect(() => find('GET', '/containers/json?all=0')).toThrow('takes no all=0');
  expect(() => find('GET', '/containers/json?limit=1')).toThrow('takes no limit=1');
  expect(() => find('GET', '/containers/abc/json?all=1')).toThrow('takes no all=1');
});
