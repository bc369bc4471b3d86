/** Settles how steps see their tree on this machine, by trying, and says so in the log. */
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import type { StepMount } from './run/work.ts';
import { detectOverlay } from './sandbox/detect-overlay.ts';
import type { SandboxDriver } from './sandbox/driver.ts';

/** @throws AppError `bad_config` when an overlay is asked for by name and cannot be had. */
export async function chooseStepMount(
  asked: StepMount | 'auto',
  driver: SandboxDriver,
  stateDir: string,
  log: Logger,
): Promise<StepMount> {
  if (asked === 'copy') return 'copy';
  const report = await detectOverlay(driver, join(stateDir, 'probes'));
  if (report.usable) {
    log.info({ mount: 'overlay' }, 'steps share their trees');
    return 'overlay';
  }
  if (asked === 'overlay') {
    const mend = 'set STEP_MOUNT=auto to work with copies, or allow overlays in user namespaces';
    throw new AppError(
      'bad_config',
      `STEP_MOUNT: no overlay can be had in ${stateDir} (${report.problem}); ${mend}`,
    );
  }
  log.warn(
    { mount: 'copy', problem: report.problem },
    'no overlay can be had: each step gets a copy of its tree',
  );
  return 'copy';
}
