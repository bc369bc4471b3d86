/** The statements that the tests of the privileges try, each as the process that may would write it. */
import { newId } from '@sallyport/shared/ids';
import type { Process } from '@sallyport/shared/processes';
import type { GrantsWorld } from './grants-world.ts';

/** What is refused; beside it what differs in one thing and is allowed. `nothing` where rows are simply not there. */
export type Pair = [name: string, refused: Act, outcome: string, allowed: Act];
/** The statement is made late, when the world that it acts upon exists. */
export type Act = [by: Process, statement: (w: GrantsWorld) => string];

export const REFUSED = '42501';

export function enqueue(queue: string): string {
  return `insert into outbox (queue, data) values ('${queue}', '{"v": 1}')`;
}
export function ask(w: GrantsWorld, kind: string, repositoryId = 22): string {
  return `insert into github_request (id, kind, task_id, installation_id, repository_id, params, ask_key)
    values ('${newId()}', '${kind}', '${w.one.taskId}', 11, ${repositoryId}, '{}', '${newId()}')`;
}
export function ticket(w: GrantsWorld): string {
  return `insert into ticket (jti, task_id, run_id, kid, token, expires_at)
    values ('${newId()}', '${w.one.taskId}', '${w.one.runId}', 'k', 't', now())`;
}
export function artifact(w: GrantsWorld, kind: string): string {
  return `insert into artifact (id, kind, task_id) values ('${newId()}', '${kind}', '${w.one.taskId}')`;
}
export function event(w: GrantsWorld, kind: string): string {
  return `select timeline_append('${w.one.taskId}', '${kind}', '{}')`;
}
export function chunk(artifactId: string, seq = 0): string {
  return `insert into artifact_chunk (artifact_id, seq, data) values ('${artifactId}', ${seq}, 'x')`;
}
export function step(runId: string, fence: number): string {
  return `insert into step (id, run_id, fence, node, visit, attempt, read_only, enforced_by, base_tree)
    values ('${newId()}', '${runId}', ${fence}, 'other', 1, 1, false, 'x', 'x')`;
}
export function canary(stepId: string): string {
  return `insert into canary (step_id, value) values ('${stepId}', 'ghs_${newId()}')`;
}
export function record(runId: string, bundle: string): string {
  return `update run set bundle_artifact_id = '${bundle}' where id = '${runId}'`;
}
export function approve(w: GrantsWorld, stage: 'run' | 'publish'): string {
  return `insert into approval (id, task_id, stage, approved_by, reason)
    values ('${newId()}', '${w.one.taskId}', '${stage}', 'ada', 'good')`;
}
export function beat(w: GrantsWorld, process: Process): string {
  return `update presence set beat_at = now() where instance = '${w.instances.get(process)}'`;
}
