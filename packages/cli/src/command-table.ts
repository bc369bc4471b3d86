/** Every command of `sallyport`, in the order in which `--help` lists them; each lives in one file of `commands/`. */
import type { CommandTable } from './run-cli.ts';

export const COMMANDS: CommandTable = {
  demo: {
    summary: 'the main job on this machine, with a stand-in for GitHub and a scripted agent',
    load: () => import('./commands/demo.ts'),
  },
  up: {
    summary: 'all processes on this machine, against real GitHub',
    load: () => import('./commands/up.ts'),
  },
  doctor: {
    summary: 'what this machine lacks for sandboxes, and whether the servers answer',
    load: () => import('./commands/doctor.ts'),
  },
  halt: {
    summary: 'stop everything, or one repository; nothing is lost',
    load: () => import('./commands/halt.ts'),
  },
  resume: { summary: 'lift a halt', load: () => import('./commands/resume.ts') },
  status: {
    summary: 'the halt, and which processes live',
    load: () => import('./commands/status.ts'),
  },
  queues: {
    summary: 'depth, age and rate of the queues, and the outbox',
    load: () => import('./commands/queues.ts'),
  },
  tasks: {
    summary: 'what was asked for and where it stands',
    load: () => import('./commands/tasks.ts'),
  },
  task: { summary: 'one task with its reasons', load: () => import('./commands/task.ts') },
  timeline: { summary: 'what happened to a task', load: () => import('./commands/timeline.ts') },
  migrate: {
    summary: 'roles, schema and rights in a Postgres of your own',
    load: () => import('./commands/migrate.ts'),
  },
  readonly: {
    summary: 'the arguments that make an agent CLI read-only, for anyone',
    load: () => import('./commands/readonly.ts'),
  },
  team: {
    summary: 'the teams that ship, and the check of a team file',
    load: () => import('./commands/team.ts'),
  },
  bench: {
    summary: 'what this costs on this machine, beside what one would use otherwise',
    load: () => import('./commands/bench.ts'),
  },
  dev: {
    summary: 'for work on Sallyport itself: `dev test` runs the test suites',
    load: () => import('./commands/dev.ts'),
  },
};
