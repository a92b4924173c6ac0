import { defineConfig } from 'vitest/config';
import { StormReport } from './test/storm/report.js';
import { BUILD, common, inOrder, resolve } from './vitest.config.js';

const STORM = ['test/storm/**/*.test.ts', 'test/simulation/old-faults.test.ts'];

/** Tests of how long others wait, or how much memory is taken: beside other tests they would measure those. */
const ALONE = [
  'test/storm/e2e/{owners-kill,references,sizes}.test.ts',
  'test/storm/http/{endpoints,long-list}.test.ts',
  'test/storm/openapi/description.test.ts',
  'test/storm/service/facets.test.ts',
  'test/storm/soak/soak.test.ts',
  'test/storm/{lifecycle/scan,store/history}.test.ts',
];

/** Tests of many minutes. */
const LONGEST = /storm\/(engine\/suites|property\/lists|e2e\/controller-kill)\.test\.ts$/;

const storm = { ...common, testTimeout: 900_000 };

export default defineConfig({
  test: {
    reporters: ['default', new StormReport()],
    globalSetup: [BUILD],
    sequence: { sequencer: inOrder(LONGEST) },
    projects: [
      {
        resolve,
        test: {
          ...storm,
          name: 'two at a time',
          include: STORM,
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        test: {
          ...storm,
          name: 'one by one',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
