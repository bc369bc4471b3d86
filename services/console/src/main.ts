/** Console: shows operators everything but secrets, and lets them halt. It moves no task. */
import { runService } from '@sallyport/shared/service';
import { CONFIG } from './config.ts';
import { createApp } from './create-app.ts';
import { readOperatorTeams } from './teams/operator-teams.ts';
import { createStreamHub } from './timeline/stream-hub.ts';

const SWEEP_MS = 2000;

await runService({
  name: 'console',
  config: CONFIG,
  async start(context) {
    const { config, deployment, db, listener, log } = context;
    const streams = createStreamHub({ db, log });
    listener.on('timeline', (subject) => streams.nudge(subject));
    context.every('timelines', SWEEP_MS, async () => streams.sweep());
    const operatorTeams = readOperatorTeams(config.TEAMS_FILE);
    const { problems } = operatorTeams;
    if (problems.length > 0) log.warn({ problems }, 'the file of teams has problems');
    const app = createApp({
      db,
      deployment,
      redisUrl: config.REDIS_URL,
      tokenSha256: config.OPERATOR_TOKEN_SHA256,
      streams,
      operatorTeams,
      log,
    });
    await app.listen({ host: config.HOST, port: config.PORT });
    const address = app.server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    log.info({ host: config.HOST, port }, 'listening');
    return async () => {
      streams.close();
      await app.close();
    };
  },
});
