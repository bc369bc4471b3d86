/** What the gate's acts are given: the database, the halt, the signer, and what the operator allows. */
import type { Clock } from '@sallyport/shared/clock';
import type { Pool } from '@sallyport/shared/db/pool';
import type { HaltGuard } from '@sallyport/shared/halt/guard';
import type { Logger } from '@sallyport/shared/log';
import type { TicketSigner } from '@sallyport/shared/ticket/sign';
import type { PolicyChoice } from './choices/policy-choice.ts';
import type { TeamChoice } from './choices/team-choice.ts';
import type { TicketLimits } from './claims.ts';
import type { OwnApp } from './delivery/parse-delivery.ts';

export interface Gate {
  db: Pool;
  halt: Pick<HaltGuard, 'assertClear'>;
  log: Logger;
  clock: Clock;
  signer: TicketSigner;
  own: OwnApp;
  teams: TeamChoice;
  policy: PolicyChoice;
  branchPrefix: string;
  limits: TicketLimits;
  assessTimeoutSeconds: number;
}
