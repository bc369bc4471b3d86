/**
 * `sallyport migrate`: roles, schema and rights of a deployment on a Postgres server. The one-shot container of a compose
 * deployment runs it before anything else starts; it is the only one that ever holds the administrator's connection.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeVersion } from '@sallyport/shared/db/migrate';
import { provision } from '@sallyport/shared/db/provision';
import { AppError } from '@sallyport/shared/errors';
import { PROCESSES, type Process } from '@sallyport/shared/processes';
import {
  EXIT_CODES,
  stringOption,
  wrongUse,
  type Call,
  type Command,
  type ExitCode,
} from '../command.ts';
import { passwordFileName } from '../compose/secret-plan.ts';
import { readExternalServers } from '../local/external-servers.ts';

export const command: Command = {
  help: `usage: sallyport migrate --passwords DIR [--deployment ID]

Makes the deployment's roles, schema and rights, or brings them up to this code's version. Doing it again is harmless.
  --passwords DIR   a directory with a file PROCESS-password for each process (${PROCESSES.join(', ')})
  --deployment ID   default: DEPLOYMENT_ID

DATABASE_URL_FILE: a file with the URL of a role that may create roles and schemas.`,
  options: { passwords: { type: 'string' }, deployment: { type: 'string' } },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const dir = stringOption(call, 'passwords');
  if (dir === undefined)
    throw wrongUse('migrate: say where the passwords lie with --passwords DIR');
  const deployment = stringOption(call, 'deployment') ?? process.env['DEPLOYMENT_ID'];
  if (deployment === undefined)
    throw wrongUse('migrate: set DEPLOYMENT_ID or give --deployment ID');
  const { databaseUrl } = readExternalServers(process.env);
  if (databaseUrl === undefined)
    throw wrongUse('migrate: set DATABASE_URL_FILE to a file with the URL of an administrator');
  await provision({ adminUrl: databaseUrl, deployment, passwords: readPasswords(dir) });
  const version = codeVersion();
  call.print(`deployment ${deployment}: roles, rights and schema version ${version} are there`);
  call.answer({ ok: true, deployment, version });
  return EXIT_CODES.done;
}

/** A password that is missing must not be made up here: nobody would learn it. */
function readPasswords(dir: string): Record<Process, string> {
  const read = (name: Process): [Process, string] => {
    const file = join(dir, passwordFileName(name));
    let password: string;
    try {
      password = readFileSync(file, 'utf8').trimEnd();
    } catch (cause) {
      throw new AppError('bad_config', `migrate: cannot read the password in ${file}`, { cause });
    }
    if (password === '') throw new AppError('bad_config', `migrate: ${file} is empty`);
    return [name, password];
  };
  return Object.fromEntries(PROCESSES.map(read)) as Record<Process, string>;
}
