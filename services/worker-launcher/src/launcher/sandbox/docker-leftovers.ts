/**
 * Ends containers that outlived whoever started them. The guard ends what bears a lease that ran out; these are ended
 * sooner, because their run goes on or because their launcher is known to be dead.
 */
import type { Engine, ListedContainer } from './docker-engine.ts';

const LABEL_RUN = 'sallyport.run';
const LABEL_LEASE = 'sallyport.lease';

/**
 * Ends what was started for this run by another launcher, or by this one which then lost sight of it; how many there were.
 * `known` as for `endUnknown`.
 */
export function endLeftOfRun(
  engine: Engine,
  runId: string,
  instance: string,
  known: ReadonlySet<string>,
): Promise<number> {
  return endAll(
    engine,
    (container) =>
      container.labels[LABEL_RUN] === runId &&
      (container.labels[LABEL_LEASE] !== instance || !isKnown(container, known)),
  );
}

/** Ends what this instance, which is no more, started; how many there were. */
export function endOfInstance(engine: Engine, instance: string): Promise<number> {
  return endAll(engine, ({ labels }) => labels[LABEL_LEASE] === instance);
}

/**
 * Ends what this very launcher does not know of: a create whose answer was lost made a container that nobody starts.
 * `known` says the name of every container before it is made.
 */
export function endUnknown(
  engine: Engine,
  instance: string,
  known: ReadonlySet<string>,
): Promise<number> {
  return endAll(
    engine,
    (container) => container.labels[LABEL_LEASE] === instance && !isKnown(container, known),
  );
}

function isKnown({ names }: ListedContainer, known: ReadonlySet<string>): boolean {
  return names.some((name) => known.has(name));
}

async function endAll(
  engine: Engine,
  isLeft: (container: ListedContainer) => boolean,
): Promise<number> {
  const left = (await engine.list()).filter(isLeft);
  for (const { id } of left) await engine.container(id).remove();
  return left.length;
}
