/** `sallyport up`: all processes on this machine, until it is asked to stop. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { EXIT_CODES, stringOption, type Call, type Command, type ExitCode } from '../command.ts';
import { missingWalls } from '../local/missing-walls.ts';
import { startDeployment, type RunningDeployment } from '../local/start-deployment.ts';
import { stateDir } from '../local/state-dir.ts';
import { onStopSignals } from '../local/stop-signals.ts';
import { readUpConfig } from '../local/up-config.ts';

export const command: Command = {
  help: `usage: sallyport up [--config FILE]

Runs intake, gate, worker-launcher, publisher, importer and console on this machine against GitHub, until Ctrl-C.
  --config FILE     default sallyport.yaml; deploy/config/sallyport.example.yaml shows what stands in it

PostgreSQL and Redis are embedded, unless DATABASE_URL_FILE and REDIS_URL_FILE name files with the URLs of your own.`,
  options: { config: { type: 'string' } },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const config = readUpConfig(resolve(stringOption(call, 'config') ?? 'sallyport.yaml'));
  const { github, launcher, intake } = config;
  let deployment: RunningDeployment | undefined;
  let asked = false;
  const stopped = new Promise<void>((done) => {
    onStopSignals(
      () => {
        asked = true;
        call.note('stopping');
        done();
      },
      () => {
        deployment?.kill();
        process.exit(130);
      },
    );
  });
  for (const wall of missingWalls()) call.note(`warning: ${wall}`);
  deployment = await startDeployment({
    state: stateDir(process.env),
    mode: 'up',
    env: process.env,
    throwAway: false,
    note: call.note,
    githubAppKey: readSecretFile('github.privateKeyFile', github.privateKeyFile),
    webhookSecret: readSecretFile('github.webhookSecretFile', github.webhookSecretFile).trim(),
    settings: {
      id: config.deployment,
      logLevel: config.logLevel,
      github: {
        apiUrl: github.apiUrl,
        url: github.url,
        appId: github.appId,
        appSlug: github.appSlug,
      },
      intake,
      console: config.console,
      launcher,
      agentsFile: config.agentsFile,
      teamsFile: config.teamsFile,
      policyFile: config.policyFile,
      environmentsFile: config.environmentsFile,
      branchPrefix: config.branchPrefix,
      importIsolation: 'bubblewrap',
    },
  });
  call.print(`deployment ${deployment.id}
  webhooks   ${deployment.intakeUrl}/github/webhook
  console    ${deployment.consoleUrl} (token: ${deployment.dir}/secrets/operator-token)
  logs       ${deployment.dir}/logs
Ctrl-C stops it; tasks in hand go on at the next start.`);
  if (!asked) await stopped;
  await deployment.stop();
  call.answer({ ok: true, deployment: deployment.id });
  return EXIT_CODES.done;
}

function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `${name}: cannot read ${file}; check that it exists and is readable by this user`,
      { cause },
    );
  }
}
