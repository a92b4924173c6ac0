import { defineConfig } from 'vitest/config';
import { BUILD, common, resolve, SLOW } from './vitest.config.js';

export default defineConfig({
  resolve,
  test: {
    ...common,
    globalSetup: [BUILD],
    include: [SLOW],
    testTimeout: 900_000,
    fileParallelism: false,
  },
});
