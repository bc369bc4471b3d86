/**
 * The worker launcher: runs the teams of admitted tasks in sandboxes and hands their bundles to the publisher. Holds the
 * ticket's public keys and no credential; talks to Postgres and Redis alone.
 */
import { runService } from '@sallyport/shared/service';
import { CONFIG } from './config.ts';
import { startLauncher } from './start-launcher.ts';

await runService({
  name: 'worker-launcher',
  config: CONFIG,
  start: startLauncher,
});
