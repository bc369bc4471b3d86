/** The importer: a parent that waits, one child per bundle, no key and no way out. */
import { prepareChildRuntime } from '@sallyport/git/child-runtime';
import { takeWorkDirectory } from '@sallyport/git/work-directory';
import { runService } from '@sallyport/shared/service';
import { readTicketKeys } from '@sallyport/shared/ticket/verify';
import { join } from 'node:path';
import { chooseIsolation } from '../choose-isolation.ts';
import { CONFIG } from './config.ts';
import { importRun, type ImporterContext } from './import-run.ts';

await runService({
  name: 'importer',
  config: CONFIG,
  async start(service) {
    const { config, db, log } = service;
    const workRoot = join(config.STATE_DIR, 'imports');
    const release = await takeWorkDirectory(workRoot);
    const context: ImporterContext = {
      db,
      log,
      ticketKeys: readTicketKeys(config.TICKET_PUBLIC_KEYS),
      isolation: await chooseIsolation(config.IMPORT_ISOLATION, 'IMPORT_ISOLATION', log),
      workRoot,
      runtime: await prepareChildRuntime(workRoot),
    };
    service.consume('import', 1, ({ runId }) => importRun(context, runId));
    return release;
  },
});
