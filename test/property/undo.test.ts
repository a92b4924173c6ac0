import { afterAll, describe, expect, it } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { checkUndo } from './undo-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();

describe(`random commits, undone in reverse, leave every object as it was (SEED=${seed})`, () => {
  it.each([
    [0, 1_000],
    [1, 1_000],
    [2, 0],
    [3, 3],
  ])('models %i, of which %i go along at once', async (run, cascadeMax) => {
    // Else nothing was tried.
    expect(await checkUndo(seed + run, { commits: 150, cascadeMax })).toBeGreaterThan(5);
  });
});
