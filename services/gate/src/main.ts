/** The gate: turns deliveries into tasks, asks what it must know, decides, and signs the tickets of what may run. */
import { systemClock } from '@sallyport/shared/clock';
import { runService } from '@sallyport/shared/service';
import { createTicketSigner } from '@sallyport/shared/ticket/sign';
import { choosePolicy } from './choices/policy-choice.ts';
import { chooseTeams } from './choices/team-choice.ts';
import { CONFIG } from './config.ts';
import { startGate } from './start-gate.ts';

await runService({
  name: 'gate',
  config: CONFIG,
  async start(context) {
    const { config, db, halt, log } = context;
    startGate(context, {
      db,
      halt,
      log,
      clock: systemClock,
      signer: createTicketSigner(config.TICKET_KEY),
      own: { id: config.GITHUB_APP_ID, slug: config.GITHUB_APP_SLUG },
      teams: chooseTeams(config.TEAMS_FILE),
      policy: choosePolicy(config.POLICY_FILE),
      branchPrefix: config.BRANCH_PREFIX,
      assessTimeoutSeconds: config.ASSESS_TIMEOUT_SECONDS,
      limits: {
        wallSeconds: config.RUN_WALL_SECONDS,
        tokens: config.RUN_TOKENS,
        costMicrousd: config.RUN_COST_MICROUSD,
        steps: config.RUN_STEPS,
      },
    });
  },
});
