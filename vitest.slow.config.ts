import { mergeConfig } from 'vitest/config';
import fast from './vitest.config.js';

export default mergeConfig(fast, {
  test: {
    include: ['test/**/*.slow.test.ts'],
    exclude: ['node_modules/**'],
    testTimeout: 600_000,
    fileParallelism: false,
  },
});
