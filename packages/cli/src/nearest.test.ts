import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const KNOWN = ['demo', 'halt', 'status', 'tasks'];

describe('nearest', () => {
  it.each([
    ['demmo', 'demo'],
    ['statsu', 'status'],
    ['task', 'tasks'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, KNOWN)).toBe(meant);
  });

  it('does not guess at a word that is like none', () => {
    expect(nearest('publish', KNOWN)).toBeUndefined();
  });
});
