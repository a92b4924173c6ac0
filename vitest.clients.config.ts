import { defineConfig } from 'vitest/config';
import { BUILD, common, resolve } from './vitest.config.js';

/** Real clients in other languages. Their programs are built before. */
export default defineConfig({
  resolve,
  test: {
    ...common,
    name: 'clients',
    // More than two processors can do: the tests wait for other processes.
    maxWorkers: 3,
    globalSetup: [BUILD, 'test/clients/programs.ts'],
    include: ['test/clients/*.test.ts'],
  },
});
