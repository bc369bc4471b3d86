/**
 * The engine guard: the only process that may reach the container engine, whose socket is as good as root on its host. It
 * makes sandboxes for launchers within walls of its own; it reaches neither Postgres nor Redis and holds no credential.
 */
import { runPlainService } from '@sallyport/shared/plain-service';
import { CONFIG } from './config.ts';
import { startGuard } from './start-guard.ts';

await runPlainService({
  name: 'engine-guard',
  config: CONFIG,
  start: startGuard,
});
