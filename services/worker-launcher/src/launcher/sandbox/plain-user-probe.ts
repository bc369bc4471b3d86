/**
 * What an ordinary user without capabilities gets from a sandbox: run by a test under such a user, it prints the report
 * of the machine and the exits of a few sandboxes as JSON. A program of its own, because a process cannot become root again.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRepository, startRun, writeFiles } from '../collector/collector-fixture.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { createBubblewrapDriver } from './bubblewrap-driver.ts';
import { detectOverlay } from './detect-overlay.ts';
import { detectSandbox } from './detect.ts';
import { shellSpec } from './sandbox-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'plain-user-'));
const driver = createBubblewrapDriver();
const identity = await driver.run(
  shellSpec('id -u; cat /proc/1/environ /proc/self/environ | tr "\\0" "\\n"'),
);
const bomb =
  'b() { [ $1 -gt 0 ] && { b $(($1 - 1)) | b $(($1 - 1)) & }; }; b 9; sleep 1; echo survived';
const contained = await driver.run(
  shellSpec('', { argv: ['/bin/bash', '-c', bomb], limits: { processes: 50, wallMs: 1_500 } }),
);
const repository = makeRepository(root, { 'a.txt': 'a\n' });
const run = await startRun(root, repository);
writeFiles(await run.layOut('one'), { 'b.txt': 'b\n' });
const taken = await run.take('one');
run.layered = true;
const layer = await run.layOut('two');
writeFiles(layer, { 'closed/b.txt': 'b\n' });
rmSync(join(layer, 'a.txt'));
chmodSync(join(layer, 'closed'), 0o000);
const layered = await run.take('two');
const overlay = await detectOverlay(driver, root);
const report = await detectSandbox();
await removeTree(root);
process.stdout.write(
  `${JSON.stringify({
    uid: process.getuid?.(),
    identity: identity.stdout.text,
    contained: { end: contained.end.kind, peak: contained.peak.processes },
    taken,
    layered,
    overlay,
    report,
  })}\n`,
);
