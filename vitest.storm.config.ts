import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { StormReport } from './test/storm/report.js';
import { BUILD, common, resolve } from './vitest.config.js';

const STORM = 'test/storm/**/*.test.ts';

/** Tests of how long others wait, or how much memory is taken: beside other tests they would measure those. */
const ALONE = [
  'test/storm/e2e/{owners-kill,references,sizes}.test.ts',
  'test/storm/http/{endpoints,long-list}.test.ts',
  'test/storm/openapi/description.test.ts',
  'test/storm/service/facets.test.ts',
  'test/storm/soak/soak.test.ts',
  'test/storm/{lifecycle/scan,store/history}.test.ts',
];

/** Tests of many minutes: begun last, they would run on when all others are done. */
const LONGEST = /storm\/(engine\/suites|property\/lists|e2e\/controller-kill)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

const storm = { ...common, testTimeout: 900_000 };

export default defineConfig({
  test: {
    reporters: ['default', new StormReport()],
    globalSetup: [BUILD],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        test: {
          ...storm,
          name: 'two at a time',
          include: [STORM],
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
