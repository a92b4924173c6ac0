import { conflict, hasCode, type ServiceError } from '../../../errors.js';
import type { WriteOptions } from '../../verbs.js';
import type { WriteRequest } from '../request.js';
import type { Reviewers } from './reviewers.js';

/** The reviewers, when they may have to be asked about one of the requests. */
export function findReviewersOf(
  reviewers: Reviewers | undefined,
  requests: readonly WriteRequest[],
  options: WriteOptions,
): Reviewers | undefined {
  if (reviewers === undefined) return undefined;
  return requests.some((request) => isReviewed(reviewers, request, options)) ? reviewers : undefined;
}

/** Nobody is asked about upkeep of the service, and about what a plugin declares in its files. */
export function isReviewed(
  reviewers: Reviewers,
  request: WriteRequest,
  { isUnreviewed }: WriteOptions,
): boolean {
  return request.verb !== 'declare' && isUnreviewed !== true && reviewers.concerns(request);
}

/** The error of a write whose object changed during each review. */
export function afterReviews(refusal: ServiceError): ServiceError {
  return hasCode(refusal, 'ServiceUnavailable') ? conflict(refusal.message, refusal.details) : refusal;
}
