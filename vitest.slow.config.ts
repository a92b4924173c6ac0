import { defineConfig } from 'vitest/config';
import { BUILD, common, resolve, SLOW } from './vitest.config.js';

/** Tests of how long others wait, or how much memory is taken: beside other tests they would measure those. */
const ALONE = [
  'test/e2e/{owners-kill,references,sizes}.slow.test.ts',
  'test/http/{endpoints,long-list}.slow.test.ts',
  'test/openapi/description.slow.test.ts',
  'test/service/facets.slow.test.ts',
  'test/store/{history,review}.slow.test.ts',
];

const slow = { ...common, testTimeout: 900_000 };

export default defineConfig({
  test: {
    globalSetup: [BUILD],
    projects: [
      {
        resolve,
        test: {
          ...slow,
          name: 'two at a time',
          include: [SLOW],
          exclude: ALONE,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        test: {
          ...slow,
          name: 'one by one',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
