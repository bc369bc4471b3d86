/**
 * What a step costs besides its agent, beside `git worktree add` of the same tree. Each round runs one reading step, one
 * writing step and the peer, one after another.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../workspace/remove-tree.ts';
import { makeProject, type BenchProject } from './make-project.ts';
import { createStepBench, type StepTimes } from './step-bench.ts';
import { summarise, type BenchResult } from './summarise.ts';

export interface StepsOptions {
  samples: number;
  /** Of the project that the steps work on. */
  files: number;
}

/** Runs the rounds. @returns the figures with every sample */
export async function benchSteps({ samples, files }: StepsOptions): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-steps-'));
  try {
    process.stderr.write(`a project of ${files} files …\n`);
    const project = makeProject(join(directory, 'project'), files);
    const bench = await createStepBench(join(directory, 'state'), project);
    const reader: StepTimes[] = [];
    const writer: StepTimes[] = [];
    const worktree: number[] = [];
    // One round beforehand, so that nobody pays for a cold cache.
    for (let round = -1; round < samples; round += 1) {
      const times = [await bench.step('reader'), await bench.step('writer')] as const;
      const peer = addWorktree(project, join(directory, 'worktree'));
      if (round < 0) continue;
      reader.push(times[0]);
      writer.push(times[1]);
      worktree.push(peer);
      process.stderr.write(
        `${round + 1}/${samples}: reader ${ms(times[0].totalMs)}, writer ${ms(times[1].totalMs)}, git worktree add ${ms(peer)}\n`,
      );
    }
    const ours = {
      reading_step: summarise(reader.map((t) => t.totalMs)),
      writing_step: summarise(writer.map((t) => t.totalMs)),
      reading_step_start: summarise(reader.map((t) => t.startMs)),
      once_per_run: { layOutMs: Math.round(bench.layOutMs) },
    };
    const peers = { git_worktree_add: summarise(worktree) };
    const ratios = {
      git_worktree_add: ours.reading_step.medianMs / peers.git_worktree_add.medianMs,
    };
    return { bench: 'steps', unit: 'ms', files, samples, ratios, ours, peers };
  } finally {
    await removeTree(directory);
  }
}

function addWorktree(project: BenchProject, path: string): number {
  const began = performance.now();
  project.git(['worktree', 'add', '-q', '--detach', path, 'HEAD']);
  const took = performance.now() - began;
  project.git(['worktree', 'remove', '--force', path]);
  return took;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
