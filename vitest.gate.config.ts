import { defineConfig } from 'vitest/config';
import { BUILD, common, inOrder, resolve } from './vitest.config.js';

/** What `.ci/run` runs after the fast tests. The rest is in `test/storm`. */
const PARTS = ['engines', 'doors', 'browser', 'pictures'] as const;

export default defineConfig({
  test: {
    globalSetup: [BUILD],
    sequence: { sequencer: inOrder(/test\/gate\/engines\//) },
    // More than two processors can do: many tests wait for other processes.
    maxWorkers: 3,
    projects: PARTS.map((name) => ({
      resolve,
      test: {
        ...common,
        expect: { poll: { timeout: 10_000 } },
        name,
        include: [`test/gate/${name}/*.test.ts`],
      },
    })),
  },
});
