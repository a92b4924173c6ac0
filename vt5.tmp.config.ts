import { defineConfig } from 'vitest/config';
export default defineConfig({
  resolve: { alias: { xsvc: '/work/main/src/index.ts' } },
  test: { pool: 'forks', include: ['test/store/**/*.test.ts', 'test/service/**/*.test.ts', 'test/property/**/*.test.ts'], exclude: process.env.SLOW ? [] : ['**/*.slow.test.ts'], testTimeout: process.env.SLOW ? 600000 : 30000 },
});
