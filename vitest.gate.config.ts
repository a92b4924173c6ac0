import { defineConfig } from 'vitest/config';
import { BUILD, common, compiled, inOrder, LONGER, resolve } from './vitest.config.js';

/** Files of many seconds. */
const LONGEST =
  /test\/(gate\/(engines|pictures)\/|gate\/doors\/documents|e2e\/(login|mcp|audit)|simulation\/)/;

const PROGRAMS = 'test/{e2e,oidc,testing}/**/*.test.ts';
const SOURCES = ['test/property/**/*.test.ts', ...LONGER];

/** What `.ci/run` runs after the fast tests. The rest is in `test/storm`. */
export default defineConfig({
  test: {
    globalSetup: [BUILD],
    sequence: { sequencer: inOrder(LONGEST) },
    // More than two processors can do: many tests wait for other processes.
    maxWorkers: 3,
    projects: [
      ...['engines', 'doors', 'browser', 'pictures'].map((name) => ({
        resolve,
        plugins: [compiled],
        test: {
          ...common,
          expect: { poll: { timeout: 10_000 } },
          name,
          include: [`test/gate/${name}/*.test.ts`],
        },
      })),
      { resolve, plugins: [compiled], test: { ...common, name: 'programs', include: [PROGRAMS] } },
      // Replaces the time and random numbers of the source.
      {
        resolve,
        test: { ...common, name: 'simulation', include: ['test/simulation/{engine,simulation}.test.ts'] },
      },
      { resolve, test: { ...common, name: 'sources', isolate: false, include: SOURCES } },
    ],
  },
});
