/**
 * What sandboxes from namespaces need of this machine, found out by making some: what is not there is named with its mend,
 * and a wall counts when it was tried.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  createBubblewrapDriver,
  type BubblewrapDriver,
  type BubblewrapDriverOptions,
} from '../sandbox/bubblewrap-driver.ts';
import { detectOverlay } from '../sandbox/detect-overlay.ts';
import { detectSandbox, type SandboxReport } from '../sandbox/detect.ts';
import { fail, pass, warn, type Check } from './check.ts';
import { lookIntoSandbox } from './look-into-sandbox.ts';

export interface SandboxCheckOptions extends BubblewrapDriverOptions {
  /** Where sandboxes would work: an existing directory on the file system of the launcher's state. */
  directory: string;
}

/** Takes a few seconds and leaves nothing behind. Where no sandbox starts, what needs one is not tried. */
export async function checkSandboxes(options: SandboxCheckOptions): Promise<Check[]> {
  const { directory, ...own } = options;
  const driver = createBubblewrapDriver(own);
  const report = await detectSandbox(options);
  const checks = [await checkUserNamespaces(), checkStart(report)];
  if (!report.usable) return checks;
  checks.push(checkEmptiness(report, await lookIntoSandbox(driver)), checkLimits(report, driver));
  const overlay = await detectOverlay(driver, directory);
  if (overlay.usable) {
    return [
      ...checks,
      pass('overlay', 'trees can be laid one upon another'),
      pass('step_mount', 'steps share their trees (overlay)'),
    ];
  }
  const mend =
    'keep STATE_DIR on a file system like ext4 or xfs, under a kernel that allows overlays in user namespaces (5.11 or later)';
  return [
    ...checks,
    warn('overlay', `no overlay can be had in ${directory}: ${overlay.problem}`, mend),
    warn('step_mount', 'each step gets a copy of its tree, which takes longer', mend),
  ];
}

async function checkUserNamespaces(): Promise<Check> {
  const id = 'user_namespaces';
  try {
    const argv = ['--user', '--map-root-user', '--', '/bin/true'];
    await promisify(execFile)('/usr/bin/unshare', argv, { env: {} });
    return pass(id, 'this user can make user namespaces');
  } catch (error) {
    const words = (error as { stderr?: string }).stderr?.trim() ?? String(error);
    return fail(
      id,
      `this user can make no user namespace: ${words}`,
      'allow them: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0, and on Ubuntu an AppArmor profile for bwrap (or sysctl kernel.apparmor_restrict_unprivileged_userns=0)',
    );
  }
}

function checkStart({ usable, version, problem }: SandboxReport): Check {
  const id = 'sandbox_starts';
  if (usable) return pass(id, `bubblewrap ${version ?? 'of unknown version'} starts sandboxes`);
  const mend =
    version === undefined
      ? 'install the packages bubblewrap and util-linux'
      : 'run bwrap by hand as this user; what it says above is what it lacks';
  return fail(id, `no sandbox starts: ${problem?.trim() ?? 'without a word'}`, mend);
}

function checkEmptiness(report: SandboxReport, found: readonly string[]): Check {
  const id = 'sandbox_is_empty';
  const problems = [...found];
  if (report.network !== 'kernel') problems.push('a port of this host can be reached');
  if (report.nestedUserNamespaces !== 'kernel') problems.push('user namespaces can be made inside');
  if (problems.length === 0) {
    return pass(id, 'nothing of this host is inside: no variable, file, process or address');
  }
  return fail(
    id,
    `a sandbox is not empty: ${problems.join('; ')}`,
    'use the bubblewrap of your distribution (0.8 or later), and run no agents until this passes',
  );
}

function checkLimits(report: SandboxReport, { limitsEnforcedBy }: BubblewrapDriver): Check {
  const id = 'limits_enforced_by';
  const { memory, processes, fileSize, disk } = report;
  const kinds = { memory, processes, file_size: fileSize, disk };
  const words = Object.entries(kinds).map(([name, how]) => `${name} by the ${namesOf[how]}`);
  const missing = Object.entries(kinds).filter(([, how]) => how === 'missing');
  if (missing.length > 0) {
    return fail(
      id,
      `not bounded at all: ${missing.map(([name]) => name).join(', ')}`,
      'run no agents here; report this with the kernel version and the output of bwrap --version',
    );
  }
  if (memory === 'kernel' && processes === 'kernel') return pass(id, words.join(', '));
  return warn(
    id,
    `${words.join(', ')} (${limitsEnforcedBy.problem ?? 'no control group'})`,
    'what the sampler watches can be passed for a tenth of a second; start as root, or hand the launcher a control group with memory and pids',
  );
}

const namesOf = { kernel: 'kernel', sampled: 'sampler', missing: 'nobody' } as const;
