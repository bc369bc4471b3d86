/**
 * One service of the project as the process that it is in production, on a test's deployment: secrets in files of a
 * directory of its own, everything it writes kept, and ended with the rest.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDeployment } from './test-deployment.ts';

const ROOT = join(import.meta.dirname, '../../..');
const START_DEADLINE_MS = 30_000;

export interface ServiceProcess {
  child: ChildProcess;
  /** Exit code, or the signal's name. */
  ended: Promise<number | string>;
  output(): string;
  /** Waits for a line of output and gives the match. @throws Error with the output when the process ends or is late. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface ServiceStart {
  /** The main, from the root: `services/gate/src/main.ts`. */
  main: string;
  process: 'intake' | 'gate' | 'console';
  env?: Record<string, string | undefined>;
  /** Written to files whose names are given as `<NAME>_FILE`. */
  secrets?: Record<string, string>;
}

export interface Services {
  start(options: ServiceStart): ServiceProcess;
  /** Asks all that still run to stop and waits until they have. */
  stopAll(): Promise<void>;
  /** Stops all and removes the files. */
  close(): Promise<void>;
}

export function createServices(deployment: TestDeployment): Services {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-service-'));
  const running: ServiceProcess[] = [];

  function start(options: ServiceStart): ServiceProcess {
    const secrets = {
      DATABASE_URL: deployment.urls[options.process],
      REDIS_URL: deployment.redisUrl,
      ...options.secrets,
    };
    const files = Object.entries(secrets).map(([name, value]) => {
      const file = join(dir, `${options.process}.${name}`);
      writeFileSync(file, value, { mode: 0o600 });
      return [`${name}_FILE`, file] as const;
    });
    const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, options.main)], {
      cwd: join(ROOT, options.main, '../..'),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        DEPLOYMENT_ID: deployment.id,
        ...Object.fromEntries(files),
        ...options.env,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => (output += data.toString()));
    }
    let gone = false;
    const ended = new Promise<number | string>((resolve) => {
      child.once('close', (code, signal) => {
        gone = true;
        resolve(signal ?? code ?? 'unknown');
      });
    });
    const service: ServiceProcess = {
      child,
      ended,
      output: () => output,
      async said(pattern) {
        const deadline = Date.now() + START_DEADLINE_MS;
        for (;;) {
          const match = pattern.exec(output);
          if (match !== null) return match;
          if (gone || Date.now() > deadline) throw new Error(`never said ${pattern}:\n${output}`);
          await sleep(20);
        }
      },
    };
    running.push(service);
    return service;
  }

  async function stopAll(): Promise<void> {
    await Promise.all(
      running.splice(0).map((service) => {
        if (service.child.exitCode === null) service.child.kill('SIGTERM');
        return service.ended;
      }),
    );
  }

  return {
    start,
    stopAll,
    async close() {
      await stopAll();
      rmSync(dir, { recursive: true });
    },
  };
}
