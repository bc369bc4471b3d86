/** The `sallyport` command. Exit codes: 0 done, 1 the answer is no, 2 wrong use. */
import { COMMANDS } from './command-table.ts';
import { runCli } from './run-cli.ts';

process.exitCode = await runCli(process.argv.slice(2), COMMANDS, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
