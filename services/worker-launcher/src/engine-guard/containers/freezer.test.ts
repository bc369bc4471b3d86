import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import { expect, test } from 'vitest';
import type { EngineClient } from '../engine/engine-client.ts';
import type { InspectedContainer } from '../engine/engine-types.ts';
import { createFreezer } from './freezer.ts';

function rig(options: { pauseFails?: ErrorCode; running?: boolean } = {}) {
  const said: string[] = [];
  const engine = {
    async call({ path }: { path: string }) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      said.push(path.replace('/containers/', ''));
      if (options.pauseFails !== undefined && path.endsWith('/pause')) {
        throw new AppError(options.pauseFails, 'engine: no');
      }
      return { status: 204, json: undefined };
    },
  } as unknown as EngineClient;
  const State = { Running: options.running ?? true, Paused: false };
  const inspect = () => Promise.resolve({ State } as InspectedContainer & { labels: object });
  const freezer = createFreezer(engine, { inspect } as never);
  return { said, freezer };
}

const gate = (): { open: () => void; opened: Promise<void> } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

test('containers are held still for the work, and run on after it, also when it fails', async () => {
  const { said, freezer } = rig();
  await freezer.whileFrozen(['a', 'b'], async () => void said.push('work'));
  expect(said).toEqual(['a/pause', 'b/pause', 'work', 'a/unpause', 'b/unpause']);
  said.length = 0;
  const failing = freezer.whileFrozen(['a'], () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(said).toEqual(['a/pause', 'a/unpause']);
});

test('one that two hold runs on after the second', async () => {
  const { said, freezer } = rig();
  const [first, second] = [gate(), gate()];
  const one = freezer.whileFrozen(['a'], () => first.opened);
  const two = freezer.whileFrozen(['a'], () => second.opened);
  first.open();
  await one;
  expect(said).toEqual(['a/pause']);
  second.open();
  await two;
  expect(said).toEqual(['a/pause', 'a/unpause']);
  await freezer.whileFrozen(['a'], () => Promise.resolve());
  expect(said).toEqual(['a/pause', 'a/unpause', 'a/pause', 'a/unpause']);
});

test('a signal waits until nobody holds the container, and holding waits for a signal on its way', async () => {
  const { said, freezer } = rig();
  const held = gate();
  const holding = freezer.whileFrozen(['a'], () => held.opened);
  const signal = gate();
  const signalling = freezer.whileLoose('a', async () => {
    said.push('signal');
    await signal.opened;
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(said).toEqual(['a/pause']);
  held.open();
  await holding;
  await expect.poll(() => said).toEqual(['a/pause', 'a/unpause', 'signal']);
  const again = freezer.whileFrozen(['a'], async () => void said.push('work'));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(said).toHaveLength(3);
  signal.open();
  await Promise.all([signalling, again]);
  expect(said.slice(3)).toEqual(['a/pause', 'work', 'a/unpause']);
});

test('nothing is mounted beside a container that cannot be held still, unless it has ended', async () => {
  const cannot = rig({ pauseFails: 'internal' });
  const work = async (): Promise<void> => void cannot.said.push('work');
  await expect(cannot.freezer.whileFrozen(['a'], work)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(cannot.said).not.toContain('work');
  const ended = rig({ pauseFails: 'conflict', running: false });
  await ended.freezer.whileFrozen(['a'], async () => void ended.said.push('work'));
  expect(ended.said).toContain('work');
});
