/**
 * `sallyport demo`: the main job on this machine. Everything is real but GitHub (a stand-in with real HTTP and real git)
 * and the agent (a script): a signed delivery in, a branch and a pull request out, nothing left behind.
 */
import {
  EXIT_CODES,
  flagOption,
  stringOption,
  wrongUse,
  type Call,
  type Command,
  type ExitCode,
} from '../command.ts';
import { awaitTask } from '../local/demo/await-task.ts';
import { readTimings } from '../local/demo/timings.ts';
import { missingWalls } from '../local/missing-walls.ts';
import { stateDir } from '../local/state-dir.ts';
import { onStopSignals } from '../local/stop-signals.ts';
import { describeEvent } from '../operate/describe-event.ts';
import { startLine, type Line } from '../../../../test/support/line/start-line.ts';
import { SAMPLE_FIX } from '../../../../test/support/line/sample-project.ts';

const TASK_TIMEOUT_MS = 90_000;

export const command: Command = {
  help: `usage: sallyport demo [--keep] [--driver bubblewrap]

Starts every process on this machine with embedded PostgreSQL and Redis, a stand-in for GitHub and a scripted agent; sends
the signed delivery of a comment "/agent fix this", and prints the timeline, the pull request and its diff.
  --keep            go on running until Ctrl-C, to look at the console and try the other commands
  --driver NAME     what sandboxes are made of; bubblewrap is the one there is

DATABASE_URL_FILE and REDIS_URL_FILE: files with the URLs of servers to use instead of the embedded ones.`,
  options: { keep: { type: 'boolean' }, driver: { type: 'string' } },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const driver = stringOption(call, 'driver') ?? 'bubblewrap';
  if (driver !== 'bubblewrap')
    throw wrongUse(`demo: --driver ${driver} is not known; bubblewrap is`);
  let line: Line | undefined;
  let interrupted = false;
  let wake = (): void => {};
  const stopAsked = new Promise<void>((done) => {
    wake = done;
  });
  onStopSignals(
    () => {
      interrupted = true;
      wake();
    },
    () => {
      line?.deployment.kill();
      process.exit(130);
    },
  );
  for (const wall of missingWalls()) call.note(`warning: ${wall}`);
  call.note('starting PostgreSQL, Redis, the GitHub stand-in and every process …');
  try {
    line = await startLine({
      state: stateDir(process.env),
      env: process.env,
      script: SAMPLE_FIX,
      note: call.note,
    });
    if (interrupted) return EXIT_CODES.no;
    const code = await Promise.race([show(call, line), stopAsked.then(() => EXIT_CODES.no)]);
    if (flagOption(call, 'keep') && !interrupted) {
      call.print(`\nstill running, until Ctrl-C:
  console    ${line.deployment.consoleUrl} (token: ${line.deployment.operatorToken})
  commands   ./sallyport tasks, ./sallyport halt --reason TEXT --deployment ${line.deployment.id} …`);
      await stopAsked;
    }
    return code;
  } finally {
    await line?.stop();
  }
}

async function show(call: Call, line: Line): Promise<ExitCode> {
  const issue = await line.addIssue();
  call.print(`a comment "/agent fix this" on ${line.repo}#${issue} is delivered\n`);
  const began = await line.github.control.now();
  const { guid } = await line.comment(issue, '/agent fix this');
  const { task } = await awaitTask(line.db, guid, {
    timeoutMs: TASK_TIMEOUT_MS,
    onEvent: (event) => call.print(describeEvent(event)),
  });
  const [pull] = await line.github.control.pulls(line.repo);
  if (
    task.state !== 'published' ||
    pull === undefined ||
    task.baseSha === null ||
    task.headSha === null
  ) {
    call.print(`\nno pull request: the task ended ${task.state} (${task.reason ?? 'no reason'})`);
    call.answer({ ok: false, task: { id: task.id, state: task.state, reason: task.reason } });
    return EXIT_CODES.no;
  }
  const requests = await line.github.control.requests();
  const githubMs = requests
    .filter(({ at }) => at >= began)
    .reduce((sum, { durationMs }) => sum + durationMs, 0);
  const timings = await readTimings(line.db, task.id, githubMs);
  call.print(
    `\npull request #${task.pullNumber}: ${String(pull['title'])}\n${task.pullUrl ?? ''}\n${indent(typeof pull['body'] === 'string' ? pull['body'] : '')}`,
  );
  const diff = await line.github.control.diff(line.repo, task.baseSha, task.headSha);
  call.print(
    `\n${diff.map((file) => `--- ${file.status} ${file.path}\n${file.patch ?? ''}`).join('\n')}\n`,
  );
  call.print(
    `from the delivery to the pull request: ${timings.totalMs} ms, of which agent ${timings.agentMs} ms, GitHub ${timings.githubMs} ms, own work ${timings.ownMs} ms`,
  );
  call.answer({
    ok: true,
    task: { id: task.id, state: task.state },
    pullRequest: {
      number: task.pullNumber,
      url: task.pullUrl,
      branch: task.branch,
      headSha: task.headSha,
      baseSha: task.baseSha,
    },
    timings,
  });
  return EXIT_CODES.done;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
