import { defineConfig } from 'vitest/config';
import fast from './vitest.config.js';

// Not merged: merging would join the lists of files of both.
export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    include: ['test/**/*.slow.test.ts'],
    exclude: ['node_modules/**'],
    testTimeout: 900_000,
    fileParallelism: false,
  },
});
