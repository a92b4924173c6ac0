import { afterAll, expect, it } from 'vitest';
import { removeDirectories } from '../helpers/store.js';
import { findWith, OLD_FAULTS } from './old-faults.js';

afterAll(removeDirectories);

it.each(OLD_FAULTS)('the simulation finds that $name', async (fault) => {
  expect(await findWith(fault)).toBeGreaterThan(0);
});
