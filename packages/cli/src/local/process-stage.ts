/**
 * Prepares the processes of a deployment to be started: for each its OS user, its files, its literal environment and the
 * command. What stands here is what a process gets; nothing else reaches it.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceProcess } from './child-service.ts';
import { nodeCommand, viewCode } from './code-view.ts';
import type { OsAccount } from './os-account.ts';
import { accountOf } from './process-account.ts';
import { prepareProcess, type ProcessPlaces } from './process-files.ts';
import {
  environmentFor,
  PROCESS_TABLE,
  type DeploymentSettings,
  type SecretKind,
  type ServiceName,
} from './process-table.ts';
import { sandboxNeedsPrivileges } from './sandbox-program.ts';

const READY_TIMEOUT_MS = 60_000;

/** What one process was given. */
export interface PreparedProcess {
  readonly name: ServiceName;
  /** Undefined when all run as the caller. */
  readonly account: OsAccount | undefined;
  readonly places: ProcessPlaces;
  readonly env: Readonly<Record<string, string>>;
  readonly service: ServiceProcess;
}

/**
 * Makes the files of every process and says how each is started.
 * @throws AppError `unavailable` when the OS users cannot get at the code or the data.
 */
export function prepareStage(options: {
  readonly settings: DeploymentSettings;
  readonly dataDir: string;
  readonly logsDir: string;
  readonly temporaryDir: string;
  readonly secretOf: (kind: SecretKind, name: ServiceName) => string;
  readonly extraEnv: Partial<Record<ServiceName, Record<string, string>>> | undefined;
  /** Where the launcher may bound its sandboxes. */
  readonly launcherGroups: readonly string[];
  readonly onLine: (name: ServiceName, line: string) => void;
}): readonly PreparedProcess[] {
  const { settings } = options;
  const temporaryRoot = join(options.temporaryDir, 'p');
  mkdirSync(temporaryRoot, { mode: 0o711 });
  const code = viewCode(accountOf(settings.id, 'intake'), options.temporaryDir);
  return PROCESS_TABLE.map((entry) => {
    const { name } = entry;
    const account = accountOf(settings.id, name);
    const places = prepareProcess(entry, {
      deploymentDir: options.dataDir,
      logsDir: options.logsDir,
      temporaryRoot,
      account,
      secrets: (kind) => options.secretOf(kind, name),
    });
    const env = { ...environmentFor(entry, settings, places), ...options.extraEnv?.[name] };
    const service: ServiceProcess = {
      name,
      argv: nodeCommand(entry.main, code),
      env,
      cwd: '/',
      account,
      bind: code.bind,
      mayGainPrivileges: sandboxNeedsPrivileges(),
      controlGroups: name === 'worker-launcher' ? options.launcherGroups : [],
      logFile: places.logFile,
      readyTimeoutMs: READY_TIMEOUT_MS,
      onLine: (line) => options.onLine(name, line),
    };
    return { name, account, places, env, service };
  });
}
