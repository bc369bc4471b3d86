/**
 * A program that supervises two shells, as `up` supervises its services: one ends when asked to, one will not. It says
 * when they are ready and ends as its signals tell it.
 */
import { join } from 'node:path';
import { onStopSignals } from '@sallyport/cli/local/stop-signals';
import { createSupervisor } from '@sallyport/cli/local/supervise';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';

const STUBBORN = `trap '' TERM INT HUP; sleep 300 & echo '{"msg":"ready"}'; while :; do wait; done`;
const WILLING = `trap 'exit 0' TERM; sleep 300 & echo '{"msg":"ready"}'; wait`;

const temporary = createTemporaryDirectory();
const supervisor = createSupervisor({ restart: true, stopDeadlineMs: Number(process.argv[2]) });
onStopSignals(
  () => void supervisor.stop().then(() => process.exit(0)),
  () => {
    supervisor.kill();
    process.exit(130);
  },
);

function shell(name: string, script: string) {
  return {
    name,
    argv: ['/bin/sh', '-c', script] as const,
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    logFile: join(temporary.path, `${name}.log`),
    readyTimeoutMs: 10_000,
  };
}
await supervisor.start([shell('stubborn', STUBBORN), shell('willing', WILLING)]);
process.stdout.write(
  `${JSON.stringify({ directory: temporary.path, pids: [supervisor.pidOf('stubborn'), supervisor.pidOf('willing')] })}\n`,
);
