/** Intake: takes GitHub's deliveries, believes none before its signature is checked, stores them and does no more. */
import { runService } from '@sallyport/shared/service';
import { createBodyRooms } from './body-room.ts';
import { CONFIG } from './config.ts';
import { createApp } from './create-app.ts';
import { createFreeMemory } from './free-memory.ts';
import { createStoreDelivery } from './store-delivery.ts';

await runService({
  name: 'intake',
  config: CONFIG,
  async start({ config, db, log }) {
    const previous = config.WEBHOOK_SECRET_PREVIOUS;
    const app = createApp({
      secrets: previous === undefined ? [config.WEBHOOK_SECRET] : [config.WEBHOOK_SECRET, previous],
      rooms: createBodyRooms(),
      store: createStoreDelivery(db),
      freeMemory: createFreeMemory(),
      log,
      isHealthy: () =>
        db.query('select 1').then(
          () => true,
          () => false,
        ),
    });
    await app.listen({ host: config.HOST, port: config.PORT });
    const address = app.server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    log.info({ host: config.HOST, port }, 'listening');
    return () => app.close();
  },
});
