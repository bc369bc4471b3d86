/** Every command of `sallyport`, in the order in which `--help` lists them; each lives in one file of `commands/`. */
import type { CommandTable } from './run-cli.ts';

export const COMMANDS: CommandTable = {
  dev: {
    summary: 'for work on Sallyport itself: `dev test` runs the test suites',
    load: () => import('./commands/dev.ts'),
  },
};
