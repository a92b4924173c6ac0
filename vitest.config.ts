import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { xsvc: new URL('./src/index.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.slow.test.ts', 'node_modules/**'],
    globalSetup: ['test/helpers/build.ts'],
    pool: 'forks',
    // By itself it would leave one of two processors idle.
    maxWorkers: 2,
    // Many tests start processes and wait for commits: a slow disk makes that long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // However busy the machine is: who waits for something goes on as soon as it is there.
    expect: { poll: { timeout: 60_000 } },
  },
});
