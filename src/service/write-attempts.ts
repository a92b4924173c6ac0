import type { MaybePromise } from '../lib/work/maybe-promise.js';
import { withConversions } from '../model/evolve/pending-conversion.js';
import type { ServiceContext } from './context.js';

/**
 * Runs an attempt to write again after each answer of a program that converts objects. New objects get the same uids, and
 * names, as in the attempt before, because the program may have seen them.
 */
export function attemptWithConversions<T>(
  context: ServiceContext,
  attempt: (context: ServiceContext) => MaybePromise<T>,
): MaybePromise<T> {
  const uids: string[] = [];
  return withConversions((round) => {
    if (round === 0) return attempt(context);
    let made = 0;
    return attempt({ ...context, uid: () => (uids[made++] ??= context.uid()) });
  });
}
