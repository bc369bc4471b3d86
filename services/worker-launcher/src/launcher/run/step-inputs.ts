/** Writes what a step may read: its prompt, its task, the hand-offs before it, the change so far, the files of its rule. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AdapterFile } from '@sallyport/teams/readonly/adapter';
import type { StepDirectories } from '../collector/layout.ts';
import type { TaskFile } from './build-task-file.ts';
import { FILES_DIRECTORY, PLACES, PROMPT_NAME, TASK_NAME } from './step-sandbox.ts';

export interface GivenHandOff {
  node: string;
  handOff: unknown;
}

export interface StepInputs {
  taskFile: TaskFile;
  handOffs: readonly GivenHandOff[];
  patch: Buffer | null;
  files: readonly AdapterFile[];
}

/** Makes `in` and `out` and fills the first, but for the prompt. */
export async function writeStepInputs(
  directories: StepDirectories,
  inputs: StepInputs,
): Promise<void> {
  await mkdir(directories.out, { recursive: true });
  await write(directories, TASK_NAME, `${JSON.stringify(inputs.taskFile, null, 2)}\n`);
  for (const { node, handOff } of inputs.handOffs) {
    const name = `${basename(PLACES.handOffs)}/${node}.json`;
    await write(directories, name, `${JSON.stringify(handOff, null, 2)}\n`);
  }
  if (inputs.patch !== null) await write(directories, basename(PLACES.patch), inputs.patch);
  for (const { path, content } of inputs.files) {
    await write(directories, `${basename(FILES_DIRECTORY)}/${basename(path)}`, content);
  }
}

/** Writes the prompt, in place of the one before it. */
export function writePrompt(directories: StepDirectories, prompt: string): Promise<void> {
  return write(directories, PROMPT_NAME, prompt);
}

async function write(
  directories: StepDirectories,
  name: string,
  content: string | Buffer,
): Promise<void> {
  const path = join(directories.in, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
}
