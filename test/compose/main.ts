/**
 * The compose deployment, for real: an engine, images built without a registry, the set-up, the whole stack against a
 * GitHub stand-in, the walls tried from inside. Ends with a line that counts; exit code 1 when a check failed or there is no
 * engine.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startEngine, type Engine } from './engine.ts';
import { EXPECTED } from './expected.ts';
import { buildBases } from './images.ts';
import { checkLine } from './line-checks.ts';
import { createReport, type Report } from './report.ts';
import { checkSandboxImage } from './sandbox-image-checks.ts';
import { createStack, type Stack } from './stack.ts';
import { checkImage, checkMachine, checkSecretFiles, checkWalls } from './wall-checks.ts';
import { readCommands } from './terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DATA_DIR = join(ROOT, '.local', 'compose-engine', 'data');

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function checkStack(report: Report, stack: Stack): Promise<void> {
  await report.check(
    'the set-up refuses to begin without the key of the App, and says so',
    async () => {
      const ran = await stack.setUp();
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /--app-key/);
    },
  );
  await stack.configure();
  stack.setScript([]);
  await report.check(
    'the commands under "With docker compose" in README work as they stand there',
    async () => {
      const said = await stack.type(readCommands(join(ROOT, 'README.md'), 'With docker compose'));
      assert.match(said, /not halted/);
    },
  );
  await report.check('the set-up changes nothing the second time', async () => {
    const second = await stack.setUp();
    assert.deepEqual([second.code, second.stdout], [0, 'nothing to do\n'], second.stderr);
  });
  await report.check('everything is up and well', () => stack.untilWell(Object.keys(EXPECTED)));
  if (!report.isGood()) return;
  await checkImage(report, stack);
  await checkWalls(report, stack);
  await checkMachine(report, stack);
  await checkSecretFiles(report, stack);
  await checkLine(report, stack);
  await report.check('everything ends by itself when asked to', async () => {
    await stack.compose(['stop', '--timeout', '30'], { timeoutMs: 300_000 });
    const codes: Record<string, string> = {};
    for (const service of [...Object.keys(EXPECTED), 'migrate']) {
      const id = await stack.containerOf(service);
      codes[service] = (
        await stack.docker('inspect', '--format', '{{.State.ExitCode}}', id)
      ).trim();
    }
    assert.deepEqual(
      Object.entries(codes).filter(([, code]) => code !== '0'),
      [],
    );
  });
}

async function run(report: Report): Promise<void> {
  let engine: Engine | undefined;
  let stack: Stack | undefined;
  async function tidyUp(): Promise<void> {
    await stack?.down();
    await engine?.stop();
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void tidyUp().finally(() => process.exit(1)));
  }
  try {
    engine = await startEngine(DATA_DIR, print);
    await buildBases(engine, print);
    await checkSandboxImage(report, engine);
    stack = await createStack(engine);
    await checkStack(report, stack);
    if (!report.isGood())
      print((await stack.compose(['logs', '--no-color', '--tail', '40'])).stdout);
  } finally {
    await tidyUp();
  }
}

const report = createReport(print);
await run(report).catch((error: unknown) =>
  report.check('the run gets to its end', () => {
    throw error;
  }),
);
print(report.summary());
process.exitCode = report.isGood() ? 0 : 1;
