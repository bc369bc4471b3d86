/** The `sallyport` command. Exit codes: 0 done, 1 the answer is no, 2 wrong use. */
import { COMMANDS } from './command-table.ts';
import { runCli } from './run-cli.ts';

// Whoever read (`| head`) has seen enough: end as if asked to, so that what was started is ended in order as well.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.kill(process.pid, 'SIGTERM');
  });
}

process.exitCode = await runCli(process.argv.slice(2), COMMANDS, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
