import { defineConfig } from 'vitest/config';
import { BUILD, common, resolve } from './vitest.config.js';

/** The pictures of the console. They depend on the browser and its fonts, so they are compared where they were recorded. */
export default defineConfig({
  resolve,
  test: {
    ...common,
    globalSetup: [BUILD],
    expect: { poll: { timeout: 10_000 } },
    name: 'pictures',
    include: ['test/pictures/*.test.ts'],
  },
});
