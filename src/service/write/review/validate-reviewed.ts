import type { Prepared } from '../prepare.js';
import { locate, type AllowedOptions } from '../request.js';
import { withWarnings } from './prepare-reviewed.js';
import type { Reviewers } from './reviewers.js';

/** Most changes of a batch that are reviewed at the same time. */
const CONCURRENT_MAX = 16;

/**
 * Asks reviewers whether they accept changes.
 * @returns the changes with their warnings
 * @throws ServiceError of the first refused change
 */
export async function validateReviewed(
  reviewers: Reviewers,
  prepared: readonly Prepared[],
  options: AllowedOptions,
): Promise<readonly Prepared[]> {
  const accepted: Prepared[] = [];
  for (let at = 0; at < prepared.length; at += CONCURRENT_MAX) {
    const some = prepared.slice(at, at + CONCURRENT_MAX);
    const reviewed = await Promise.allSettled(some.map((one) => validateOne(reviewers, one)));
    for (const [i, result] of reviewed.entries()) {
      if (result.status === 'rejected') throw locate(result.reason, at + i, options);
      accepted.push(result.value);
    }
  }
  return accepted;
}

async function validateOne(reviewers: Reviewers, prepared: Prepared): Promise<Prepared> {
  if (prepared.change === undefined || prepared.review === undefined) return prepared;
  return { ...prepared, change: withWarnings(prepared.change, await reviewers.validate(prepared.review)) };
}
