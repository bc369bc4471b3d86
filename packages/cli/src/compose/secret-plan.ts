/**
 * Which secret file each container of the compose deployment is given, and whose it is. Compose ignores owner and mode of
 * file secrets, so the files themselves must have them: one copy per container, readable by that container's user alone.
 */
import { PROCESSES, type Process } from '@sallyport/shared/processes';
import {
  PROCESS_TABLE,
  secretFileName,
  type SecretKind,
  type ServiceName,
} from '../local/process-table.ts';

/** Containers that run none of our services. */
export type SupportName = 'migrate' | 'postgres' | 'redis';
export type ContainerName = ServiceName | SupportName;

/** User and group of each container; the compose file names the same numbers. */
export const CONTAINER_UIDS: Readonly<Record<ContainerName, number>> = {
  intake: 10_001,
  gate: 10_002,
  'worker-launcher': 10_003,
  publisher: 10_004,
  importer: 10_005,
  console: 10_006,
  migrate: 10_007,
  postgres: 10_020,
  redis: 10_021,
};

/** Containers that keep something, and so have a directory that is theirs. */
export const CONTAINERS_WITH_DATA = [
  'worker-launcher',
  'publisher',
  'importer',
  'postgres',
  'redis',
] as const satisfies readonly ContainerName[];

export type ComposeSecret =
  | { readonly kind: SecretKind }
  | { readonly kind: 'databaseAdminPassword' | 'databaseAdminUrl' | 'redisUsers' }
  | { readonly kind: 'databasePassword'; readonly process: Process };

export interface PlannedSecret {
  readonly container: ContainerName;
  /** The file's name below `secrets/<container>/`, and below /run/secrets in the container. */
  readonly file: string;
  readonly secret: ComposeSecret;
}

/** Every secret file of a deployment. */
export function planSecrets(): PlannedSecret[] {
  const services = PROCESS_TABLE.flatMap((entry) =>
    Object.entries(entry.secrets).map(([variable, kind]): PlannedSecret => {
      return { container: entry.name, file: secretFileName(variable), secret: { kind } };
    }),
  );
  const passwords = PROCESSES.map((process): PlannedSecret => {
    const file = passwordFileName(process);
    return { container: 'migrate', file, secret: { kind: 'databasePassword', process } };
  });
  return [
    { container: 'postgres', file: 'admin-password', secret: { kind: 'databaseAdminPassword' } },
    { container: 'redis', file: 'users.acl', secret: { kind: 'redisUsers' } },
    { container: 'migrate', file: 'database-url', secret: { kind: 'databaseAdminUrl' } },
    ...passwords,
    ...services,
  ];
}

/** The name of the file with the database password of a process. */
export function passwordFileName(process: Process): string {
  return `${process}-password`;
}
