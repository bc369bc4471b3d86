import { UnrecoverableError } from 'bullmq';
import { expect, it } from 'vitest';
import { newId } from '../ids.ts';
import { parseJob } from './consumer.ts';

const id = newId();

it('gives back a job of its queue', () => {
  expect(parseJob('work', { v: 1, taskId: id })).toEqual({ v: 1, taskId: id });
  expect(parseJob('gate', { v: 1, deliveryId: id })).toEqual({ v: 1, deliveryId: id });
});

it.each([
  ['another queue', { v: 1, runId: id }],
  ['more than an id', { v: 1, taskId: id, token: 'x' }],
  ['no id', { v: 1, taskId: 'x' }],
  ['no version', { taskId: id }],
  ['nothing', null],
])('refuses a job of %s for good', (_, data) => {
  expect(() => parseJob('work', data)).toThrow(UnrecoverableError);
});

it('leaves a job of a newer version to be retried', () => {
  let thrown: unknown;
  try {
    parseJob('work', { v: 2, taskId: id });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).not.toBeInstanceOf(UnrecoverableError);
});
