import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{services,packages}/*/{src,bootstrap}/**/*.test.{ts,mjs}',
            'test/{architecture,support}/**/*.test.ts',
          ],
          // Pure, or with directories of their own: a fresh world for each file would only cost the loading of it.
          isolate: false,
          // Many start real programs; on a busy machine five seconds pass before those have begun.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/escape/bubblewrap*.test.ts'],
          globalSetup: ['test/support/servers/global-setup.ts'],
          // One suite after the other: they share two cores, and the e2e timings are part of what is tested.
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Most of their time they wait, for leases to run out and processes to start.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // Each file has a deployment of its own.
          maxWorkers: 2,
        },
      },
      {
        test: {
          // What needs a container engine, which is started for it: `npm run test:engine`, as root.
          name: 'engine',
          include: ['test/engine/**/*.test.ts', 'test/escape/docker.test.ts'],
          globalSetup: [
            'test/support/engine/global-setup.ts',
            'test/support/servers/global-setup.ts',
          ],
          sequence: { groupOrder: 4 },
          testTimeout: 120_000,
          hookTimeout: 300_000,
          // Two containers start at once as fast as one after the other, and four do not.
          maxWorkers: 2,
        },
      },
      {
        test: {
          // What dies, is lost or is many, and takes its time: `npm run test:crash`, for changes to how work is handed over.
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          globalSetup: ['test/support/servers/global-setup.ts'],
          sequence: { groupOrder: 3 },
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          // The console's pages in a real Chromium: `npm run test:browser`.
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/servers/global-setup.ts'],
          sequence: { groupOrder: 4 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
