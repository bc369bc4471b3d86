/**
 * The half of `deploy/compose/setup.sh` that runs in the image, as root and without a network: it alone sees the secrets.
 * Exit codes: 0 done, 2 something is missing or wrong, with the mend.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '@sallyport/shared/errors';
import { prepareState } from './prepare-state.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'config');

try {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      deployment: { type: 'string' },
      'app-key': { type: 'string' },
      'config-owner': { type: 'string' },
    },
  });
  if (values.dir === undefined || values.deployment === undefined)
    throw new AppError('bad_input', 'give --dir DIR and --deployment ID');
  const changes = prepareState({
    dir: values.dir,
    deployment: values.deployment,
    appKeyFile: values['app-key'],
    configOwner: ownerFrom(values['config-owner']),
    examples: {
      'agents.json': join(EXAMPLES, 'agents.example.json'),
      'teams.json': join(EXAMPLES, 'teams.example.json'),
    },
    note: (text) => void process.stdout.write(`${text}\n`),
  });
  process.stdout.write(changes === 0 ? 'nothing to do\n' : `${changes} changes\n`);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`setup: ${error.message}\n`);
  process.exitCode = 2;
}

function ownerFrom(text: string | undefined): { uid: number; gid: number } | undefined {
  const [uid, gid] = (text ?? '').split(':').map(Number);
  return Number.isInteger(uid) && Number.isInteger(gid) && uid !== undefined && gid !== undefined
    ? { uid, gid }
    : undefined;
}
