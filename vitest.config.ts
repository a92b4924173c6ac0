import { defineConfig } from 'vitest/config';

/** Of all suites. */
const source = (file: string): string => new URL(`./src/${file}`, import.meta.url).pathname;
export const resolve = {
  alias: { 'xsvc/testing': source('testing/index.ts'), xsvc: source('index.ts') },
};
export const common = {
  pool: 'forks',
  // Many tests start processes and wait for commits: a slow disk makes that long.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // However busy the machine is: who waits for something goes on as soon as it is there.
  expect: { poll: { timeout: 60_000 } },
} as const;
export const BUILD = 'test/helpers/build.ts';
export const SLOW = 'test/**/*.slow.test.ts';

/** Tests of rooms that leave nothing behind in their process: they share one, which saves starting it for each file. */
const SHARING = 'test/{access,client,endpoint,lib,model,openapi,query,watch}/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: [BUILD],
    // By itself it would leave one of two processors idle.
    maxWorkers: 2,
    projects: [
      {
        resolve,
        test: { ...common, name: 'sharing', isolate: false, include: [SHARING], exclude: [SLOW] },
      },
      {
        resolve,
        test: { ...common, name: 'alone', include: ['test/**/*.test.ts'], exclude: [SLOW, SHARING] },
      },
    ],
  },
});
