import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/errors.js';
import type { Verbs } from '../../src/service/verbs.js';
import { batchCases } from './verbs-batch.js';
import { createCases } from './verbs-create.js';
import { deleteCases } from './verbs-delete.js';
import { expandCases } from './verbs-expand.js';
import { expiryCases } from './verbs-expiry.js';
import { historyCases } from './verbs-history.js';
import { listCases } from './verbs-list.js';
import { ownerCases } from './verbs-owners.js';
import { patchCases } from './verbs-patch.js';
import { readCases } from './verbs-read.js';
import { referenceCases } from './verbs-references.js';
import { refFilterCases } from './verbs-ref-filters.js';
import { rulesCases } from './verbs-rules.js';
import { timeCases } from './verbs-times.js';
import { undoCases } from './verbs-undo.js';
import { updateCases } from './verbs-update.js';
import { watchCases } from './verbs-watch.js';

/** One way to the verbs, on an empty store that serves the models of `helpers/models.ts`. */
export interface VerbsDoor {
  readonly verbs: Verbs;
  /** Every disagreement that the store's consistency check finds. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}

/** Inherent differences between doors. */
export interface DoorTraits {
  /** The code for a batch with a model that is not served: where the batch is a body, its names are part of that. */
  readonly unservedInBatch: ErrorCode;
  /** True when the answer to every update or patch says if it changed anything. */
  readonly tellsChanged: boolean;
}

const IN_PROCESS: DoorTraits = { unservedInBatch: 'NotFound', tellsChanged: true };

/** The behaviour of all verbs, the same through every door. After each case the store must be consistent. */
export function verbsSuite(
  name: string,
  open: () => Promise<VerbsDoor>,
  traits: DoorTraits = IN_PROCESS,
): void {
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
    updateCases(verbs, traits);
    timeCases(verbs);
    undoCases(verbs);
    patchCases(verbs);
    deleteCases(verbs);
    ownerCases(verbs);
    expiryCases(verbs);
    batchCases(verbs, traits);
    listCases(verbs);
    historyCases(verbs);
    referenceCases(verbs);
    expandCases(verbs);
    refFilterCases(verbs);
    rulesCases(verbs);
    watchCases(verbs);
  });
}
