/** Settles how steps see their tree on this machine, and says so in the log. */
import { AppError } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import type { StepMount } from './run/work.ts';
import type { OverlayReport } from './sandbox/detect-overlay.ts';

/**
 * `detect` tries for an overlay where steps would have theirs; it is not called where a copy is asked for.
 * @throws AppError `bad_config` when an overlay is asked for by name and cannot be had.
 */
export async function chooseStepMount(
  asked: StepMount | 'auto',
  detect: () => Promise<OverlayReport>,
  log: Logger,
): Promise<StepMount> {
  if (asked === 'copy') return 'copy';
  const report = await detect();
  if (report.usable) {
    log.info({ mount: 'overlay' }, 'steps share their trees');
    return 'overlay';
  }
  if (asked === 'overlay') {
    const mend = 'set STEP_MOUNT=auto to work with copies, or allow overlays in user namespaces';
    throw new AppError(
      'bad_config',
      `STEP_MOUNT: no overlay can be had (${report.problem}); ${mend}`,
    );
  }
  log.warn(
    { mount: 'copy', problem: report.problem },
    'no overlay can be had: each step gets a copy of its tree',
  );
  return 'copy';
}
