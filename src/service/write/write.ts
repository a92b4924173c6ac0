import type { ServiceContext } from '../context.js';
import { DeletionState } from '../references/deletion-state.js';
import { Stale } from './change.js';
import { commitPrepared } from './commit.js';
import { OutsidePreparation } from './prepare-outside.js';
import type { WriteRequestOptions, WriteRequest } from './request.js';
import type { RawBatchResult } from './result.js';

/** Most attempts with all changes prepared outside the transaction; the next ones cannot lose a race. */
const OUTSIDE_MAX = 4;
/** Most generated names before collisions count as an error. */
const ATTEMPTS_MAX = 100;

/**
 * Makes the changes of requests in one commit. They are prepared outside the transaction, while the previous commit is
 * in progress. The transaction verifies that the stored objects are unchanged. Otherwise the change of a small object
 * is prepared again inside, and other changes are prepared again outside.
 * @throws ServiceError of an invalid request
 */
export async function write(
  context: ServiceContext,
  requests: readonly WriteRequest[],
  options: WriteRequestOptions,
): Promise<RawBatchResult> {
  const isAlone = requests.length === 1;
  const deletions = new DeletionState(context, options, isAlone);
  const scope = { context, options, deletions, isAlone };
  const stamp = { dryRun: options.dryRun === true, user: options.user ?? context.user };
  for (let attempt = 1; ; attempt++) {
    try {
      const isInside = attempt > OUTSIDE_MAX;
      const prepared = await new OutsidePreparation(context, requests, options, isInside).run();
      const began = performance.now();
      const { result, hasDeferred } = await context.store.commit(
        (tx) => commitPrepared(tx, scope, prepared),
        stamp,
      );
      if (options.dryRun === true) return result;
      measure(context, result, performance.now() - began);
      if (hasDeferred) context.scheduleCascades();
      return result;
    } catch (error) {
      if (!(error instanceof Stale)) await deletions.resolve(error);
      else if (attempt >= ATTEMPTS_MAX) throw error.refusal;
    }
  }
}

function measure({ measures }: ServiceContext, { items }: RawBatchResult, ms: number): void {
  let changes = 0;
  for (const { changed } of items) if (changed) changes++;
  if (changes === 0) return;
  measures.commitSeconds.observe(ms / 1_000);
  measures.commitChanges.observe(changes);
}
