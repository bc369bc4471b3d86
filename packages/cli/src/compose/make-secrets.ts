/**
 * What stands in each secret file of a compose deployment. Everything is derived from a few values that are made once and
 * kept by root, so a second set-up gives the same files, and a lost copy can be made again.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { urlFor } from '@sallyport/shared/db/provision';
import { PROCESSES, roleName, type Process } from '@sallyport/shared/processes';
import { aclRules, redisUserName } from '@sallyport/shared/queue/acl';
import { redisUrlFor } from '@sallyport/shared/queue/provision-users';
import type { ComposeSecret, ContainerName } from './secret-plan.ts';
import type { ServiceName } from '../local/process-table.ts';

const ADMIN = 'sallyport_admin';
const DATABASE = 'sallyport';

/** The values that everything else is made from. */
export interface MasterSecrets {
  readonly webhookSecret: string;
  /** Ed25519 in PEM. */
  readonly ticketPrivateKey: string;
  readonly operatorToken: string;
  readonly databaseAdminPassword: string;
  /** RSA in PEM, as GitHub hands it out. */
  readonly githubAppKey: string;
  readonly databasePasswords: Readonly<Record<Process, string>>;
  readonly redisPasswords: Readonly<Record<Process, string>>;
}

/** The text of one secret file. */
export function secretText(
  secret: ComposeSecret,
  container: ContainerName,
  deployment: string,
  master: MasterSecrets,
): string {
  const databaseAdminUrl = `postgres://${ADMIN}:${master.databaseAdminPassword}@postgres:5432/${DATABASE}`;
  switch (secret.kind) {
    case 'databaseUrl': {
      const process = container as ServiceName;
      const password = master.databasePasswords[process];
      return urlFor(databaseAdminUrl, roleName(deployment, process), password);
    }
    case 'redisUrl': {
      const process = container as ServiceName;
      const user = redisUserName(deployment, process);
      return redisUrlFor('redis://redis:6379/0', user, master.redisPasswords[process]);
    }
    case 'webhookSecret':
      return master.webhookSecret;
    case 'ticketPrivateKey':
      return master.ticketPrivateKey;
    case 'ticketPublicKey':
      return publicHalf(master.ticketPrivateKey);
    case 'githubAppKey':
      return master.githubAppKey;
    case 'operatorTokenSha256':
      return createHash('sha256').update(master.operatorToken).digest('hex');
    case 'databaseAdminPassword':
      return master.databaseAdminPassword;
    case 'databaseAdminUrl':
      return databaseAdminUrl;
    case 'databasePassword':
      return master.databasePasswords[secret.process];
    case 'redisUsers':
      return redisUsers(deployment, master);
  }
}

/** The access list of Redis. Nobody is left without a name: the default user is off. */
function redisUsers(deployment: string, master: MasterSecrets): string {
  const lines = PROCESSES.map((process) => {
    const rules = aclRules(deployment, process, master.redisPasswords[process]);
    return `user ${redisUserName(deployment, process)} ${rules.join(' ')}`;
  });
  return `user default off\n${lines.join('\n')}\n`;
}

function publicHalf(pem: string): string {
  return createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'pem' }).toString();
}
