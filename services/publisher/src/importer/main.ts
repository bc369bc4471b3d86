/** The importer: a parent that waits, one child per bundle, no key and no way out. */
import { prepareChildRuntime } from '@sallyport/git/child-runtime';
import { runService } from '@sallyport/shared/service';
import { readTicketKeys } from '@sallyport/shared/ticket/verify';
import { join } from 'node:path';
import { requireIsolation } from '../require-isolation.ts';
import { CONFIG } from './config.ts';
import { importRun, type ImporterContext } from './import-run.ts';

await runService({
  name: 'importer',
  config: CONFIG,
  async start(service) {
    const { config, db, log } = service;
    const workRoot = join(config.STATE_DIR, 'imports');
    const context: ImporterContext = {
      db,
      log,
      ticketKeys: readTicketKeys(config.TICKET_PUBLIC_KEYS),
      isolation: await requireIsolation(config.IMPORT_ISOLATION, 'IMPORT_ISOLATION'),
      workRoot,
      runtime: await prepareChildRuntime(workRoot),
    };
    service.consume('import', 1, ({ runId }) => importRun(context, runId));
  },
});
