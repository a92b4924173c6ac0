import { defineConfig } from 'vitest/config';
import { BUILD, common, resolve } from './vitest.config.js';

/** Real clients in other languages. Their programs are built before. */
export default defineConfig({
  resolve,
  test: {
    ...common,
    name: 'clients',
    globalSetup: [BUILD, 'test/clients/programs.ts'],
    include: ['test/clients/*.test.ts'],
  },
});
