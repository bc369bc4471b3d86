/** One engine for all files of the engine suite; they keep apart by their deployment's name. */
import type { TestProject } from 'vitest/node';
import { startTestEngine } from './start-engine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The socket of an engine that is this run's own. */
    engineSocket: string;
  }
}

/** Starts the engine, gives its socket to the tests, and returns what ends it again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = await startTestEngine();
  project.provide('engineSocket', engine.socket);
  return () => engine.stop();
}
