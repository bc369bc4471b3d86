/**
 * What a sandbox costs in which nothing happens, beside the bare program that makes such a wall, with the same flags and
 * limits. Every round runs each of them once, one after another, so that a busy moment meets all alike; nothing is kept
 * warm in between. The collector of a step is measured after them, because it is not part of that comparison.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@sallyport/shared/ids';
import { removeTree } from '../workspace/remove-tree.ts';
import { STEP_LIMITS } from '../run/step-places.ts';
import { createBubblewrapDriver } from '../sandbox/bubblewrap-driver.ts';
import type { SandboxDriver, SandboxMount, SandboxSpec } from '../sandbox/driver.ts';
import { runBareBubblewrap, runBareDocker } from './bare-sandboxes.ts';
import { startBenchEngine, type BenchPlaces } from './bench-engine.ts';
import { makeProject } from './make-project.ts';
import { createStepBench } from './step-bench.ts';
import { summarise, type BenchResult, type Summary } from './summarise.ts';

const COLLECTED_FILES = 1_000;
const PROGRAM = ['/usr/bin/true'] as const;

export interface SandboxBenchOptions {
  samples: number;
  /** A container engine's socket, and the id of an image there in which sandboxes can run. */
  docker?: { engine: string; image: string };
}

/** One of what is compared: its name, and how long one run took in milliseconds. */
interface Contestant {
  name: string;
  run(): Promise<number>;
}

/** Runs the rounds. @returns the figures with every sample */
export async function benchSandbox(options: SandboxBenchOptions): Promise<BenchResult> {
  const { samples, docker } = options;
  const directory = mkdtempSync(join(tmpdir(), 'bench-sandbox-'));
  const closing: (() => Promise<void>)[] = [() => removeTree(directory)];
  try {
    const mine = join(directory, 'run');
    const driver = createBubblewrapDriver();
    const spec = specOf(placesBelow(mine));
    const ours: Contestant[] = [{ name: 'bubblewrap', run: () => runOurs(driver, spec) }];
    const peers: Contestant[] = [{ name: 'bwrap', run: () => runBareBubblewrap(spec) }];
    const collector = await collectorOf(directory);
    if (docker !== undefined) {
      const engine = await startBenchEngine({ ...docker, directory: join(directory, 'engine') });
      closing.unshift(() => engine.close());
      const inEngine = specOf(engine.places);
      ours.push({ name: 'docker', run: () => runOurs(engine.driver, inEngine) });
      peers.push({
        name: 'docker_run',
        run: () =>
          runBareDocker(inEngine, {
            ...docker,
            directoryOf: (source) => engine.directoryOf(source),
          }),
      });
    }
    const times = new Map([
      ...(await runRounds([...ours, ...peers], samples)),
      ...(await runRounds([collector], samples)),
    ]);
    const summaryOf = ({ name }: Contestant): [string, Summary] => [
      name,
      summarise(times.get(name) ?? []),
    ];
    const own = Object.fromEntries(ours.map(summaryOf));
    const others = Object.fromEntries(peers.map(summaryOf));
    const ratios = Object.fromEntries(
      peers.map(({ name }, i) => {
        const mineToo = own[ours[i]?.name ?? '']?.medianMs ?? Number.NaN;
        return [name, mineToo / (others[name]?.medianMs ?? Number.NaN)];
      }),
    );
    return {
      bench: 'sandbox',
      unit: 'ms',
      samples,
      ratios,
      ours: { ...own, ...Object.fromEntries([summaryOf(collector)]) },
      peers: others,
    };
  } finally {
    for (const close of closing) await close();
  }
}

async function runRounds(
  contestants: readonly Contestant[],
  samples: number,
): Promise<Map<string, number[]>> {
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  // One round beforehand, so that nobody pays for a cold cache.
  for (let round = -1; round < samples; round += 1) {
    const said: string[] = [];
    // In turns from the one end and from the other: what one leaves for the kernel to clear away meets the next.
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const took = await contestant.run();
      said.push(`${contestant.name} ${took.toFixed(1)} ms`);
      if (round >= 0) times.get(contestant.name)?.push(took);
    }
    if (round >= 0) process.stderr.write(`${round + 1}/${samples}: ${said.join(', ')}\n`);
  }
  return times;
}

async function runOurs(driver: SandboxDriver, spec: SandboxSpec): Promise<number> {
  const began = performance.now();
  const exit = await driver.run({ ...spec, id: `bench-${newId()}` });
  const took = performance.now() - began;
  if (exit.end.kind === 'exited' && exit.end.code === 0) return took;
  throw new Error(`a sandbox ended as ${JSON.stringify(exit.end)}: ${exit.stderr.text}`);
}

/** The collector of one reading step, on a small project: what each step pays besides its own sandbox. */
async function collectorOf(directory: string): Promise<Contestant> {
  const project = makeProject(join(directory, 'project'), COLLECTED_FILES);
  const bench = await createStepBench(join(directory, 'state'), project);
  return { name: 'collector_per_step', run: async () => (await bench.step('reader')).takeMs };
}

function placesBelow(directory: string): BenchPlaces {
  const places = { in: join(directory, 'in'), out: join(directory, 'out') };
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  return places;
}

function specOf(places: BenchPlaces): SandboxSpec {
  const mounts: SandboxMount[] = [
    { kind: 'bind', role: 'in', source: places.in, target: '/in', access: 'read_only' },
    { kind: 'bind', role: 'out', source: places.out, target: '/out', access: 'read_write' },
  ];
  return {
    id: 'bench',
    argv: PROGRAM,
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/tmp',
    mounts,
    network: 'none',
    limits: { ...STEP_LIMITS, wallMs: 60_000 },
    labels: { kind: 'bench' },
  };
}
