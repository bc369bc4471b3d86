/**
 * A launcher that is killed while it starts a sandbox, as a program of its own, because whoever is killed can tell nothing.
 * Called with a mark that stands in the sandbox's command line, and the moment at which it dies.
 */
import { bubblewrapOptions, limitedProgram } from './bubblewrap-arguments.ts';
import { BUBBLEWRAP_PATH } from './bubblewrap-driver.ts';
import { startBubblewrap } from './bubblewrap-process.ts';
import { findControlGroups } from './control-groups.ts';
import { createLaunchGuard, type LaunchGuard } from './launch-guard.ts';
import { shellSpec } from './sandbox-fixture.ts';

const [mark = '', moment = ''] = process.argv.slice(2);
const spec = shellSpec(`sleep 60; : ${mark}`);
const groups = findControlGroups();
const own = createLaunchGuard();

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

const guard: LaunchGuard = {
  ...own,
  protect(group, directories) {
    if (moment === 'started_not_registered') die();
    return own.protect(group, directories);
  },
};
const sandbox = await startBubblewrap({
  binary: BUBBLEWRAP_PATH,
  options: bubblewrapOptions(spec, { forbidNestedUserNamespaces: true }),
  program: limitedProgram(spec),
  prelude: [],
  input: new Uint8Array(),
  filter: undefined,
  group: {
    directories: groups.directoriesOf(`sallyport-${mark}`),
    make() {
      const group = groups.create(`sallyport-${mark}`, { memoryBytes: 2 ** 28, processes: 100 });
      if (moment === 'group_made') die();
      return group;
    },
  },
  guard,
});
await sandbox.started;
process.stdout.write('started\n');
