import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { BUILD, common, resolve, SLOW } from './vitest.config.js';

/** Tests of how long others wait, or how much memory is taken: beside other tests they would measure those. */
const ALONE = [
  'test/e2e/{owners-kill,references,sizes}.slow.test.ts',
  'test/http/{endpoints,long-list}.slow.test.ts',
  'test/openapi/description.slow.test.ts',
  'test/service/facets.slow.test.ts',
  'test/store/{history,review}.slow.test.ts',
];

/** Tests of many minutes: begun last, they would run on when all others are done. */
const LONGEST = /(engine\/suites|property\/lists|e2e\/controller-kill)\.slow\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

const slow = { ...common, testTimeout: 900_000 };

export default defineConfig({
  test: {
    globalSetup: [BUILD],
    sequence: { sequencer: LongestFirst },
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
