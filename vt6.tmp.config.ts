import { defineConfig } from 'vitest/config';
export default defineConfig({ resolve: { alias: { xsvc: new URL('./src/index.ts', import.meta.url).pathname } }, test: { globalSetup: process.env.NOBUILD ? [] : ['test/helpers/build.ts'], pool: 'forks', include: ['test/http/**/*.test.ts', 'test/e2e/{daemon,kill,two-processes,storage-faults}*.test.ts'], testTimeout: 30000, hookTimeout: 30000 } });
