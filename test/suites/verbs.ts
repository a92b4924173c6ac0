import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Verbs } from '../../src/service/verbs.js';
import { batchCases } from './verbs-batch.js';
import { createCases } from './verbs-create.js';
import { deleteCases } from './verbs-delete.js';
import { listCases } from './verbs-list.js';
import { patchCases } from './verbs-patch.js';
import { readCases } from './verbs-read.js';
import { updateCases } from './verbs-update.js';

/** One way to the verbs, on an empty store that serves the models of `helpers/models.ts`. */
export interface VerbsDoor {
  readonly verbs: Verbs;
  /** Every disagreement that the store's consistency check finds. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}

/** The behaviour of all verbs, the same through every door. After each case the store must be consistent. */
export function verbsSuite(name: string, open: () => Promise<VerbsDoor>): void {
  describe(`the verbs through ${name}`, () => {
    let door: VerbsDoor;
    beforeEach(async () => {
      door = await open();
    });
    afterEach(async () => {
      const found = await door.check();
      await door.close();
      expect(found).toEqual([]);
    });

    const verbs = (): Verbs => door.verbs;
    readCases(verbs);
    createCases(verbs);
    updateCases(verbs);
    patchCases(verbs);
    deleteCases(verbs);
    batchCases(verbs);
    listCases(verbs);
  });
}
