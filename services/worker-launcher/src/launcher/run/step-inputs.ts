/** Writes what a step may read: its prompt, its task, the hand-offs before it, the change so far, the files of its rule. */
import { basename, join } from 'node:path';
import type { AdapterFile } from '@sallyport/teams/readonly/adapter';
import { canaryFile } from '../canary/place-canary.ts';
import type { StepDirectories } from '../collector/layout.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { TaskFile } from './build-task-file.ts';
import { FILES_DIRECTORY, PLACES, PROMPT_NAME, TASK_NAME } from './step-places.ts';

export interface GivenHandOff {
  node: string;
  handOff: unknown;
}

export interface StepInputs {
  taskFile: TaskFile;
  handOffs: readonly GivenHandOff[];
  patch: Buffer | null;
  files: readonly AdapterFile[];
  canary: string;
}

/** Makes `in` and `out` and fills the first, but for the prompt. */
export async function writeStepInputs(
  workspace: Workspace,
  directories: StepDirectories,
  inputs: StepInputs,
): Promise<void> {
  await workspace.makeDirectory(directories.out);
  await write(workspace, directories, TASK_NAME, `${JSON.stringify(inputs.taskFile, null, 2)}\n`);
  for (const { node, handOff } of inputs.handOffs) {
    const name = `${basename(PLACES.handOffs)}/${node}.json`;
    await write(workspace, directories, name, `${JSON.stringify(handOff, null, 2)}\n`);
  }
  if (inputs.patch !== null)
    await write(workspace, directories, basename(PLACES.patch), inputs.patch);
  const bait = canaryFile(directories, inputs.canary);
  await workspace.writeFile(bait.path, bait.content);
  for (const { path, content } of inputs.files) {
    await write(workspace, directories, `${basename(FILES_DIRECTORY)}/${basename(path)}`, content);
  }
}

/** Writes the prompt, in place of the one before it. */
export function writePrompt(
  workspace: Workspace,
  directories: StepDirectories,
  prompt: string,
): Promise<void> {
  return write(workspace, directories, PROMPT_NAME, prompt);
}

function write(
  workspace: Workspace,
  directories: StepDirectories,
  name: string,
  content: string | Buffer,
): Promise<void> {
  return workspace.writeFile(join(directories.in, name), content);
}
