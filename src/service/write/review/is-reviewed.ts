import { conflict, hasCode, type ServiceError } from '../../../errors.js';
import type { WriteOptions } from '../../verbs.js';
import { isApply, type WriteRequest } from '../request.js';
import { partOf } from './reviewed-write.js';
import type { Reviewers, WriteOperation } from './reviewers.js';

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
  if (request.verb === 'declare' || isUnreviewed === true) return false;
  const { resource } = request;
  return reviewers.concerns({ operations: operationsOf(request), resource, subresource: partOf(request) });
}

/** The error of a write whose object changed during each review. */
export function afterReviews(refusal: ServiceError): ServiceError {
  return hasCode(refusal, 'ServiceUnavailable') ? conflict(refusal.message, refusal.details) : refusal;
}

function operationsOf(request: WriteRequest): readonly WriteOperation[] {
  if (isApply(request)) return ['CREATE', 'UPDATE'];
  switch (request.verb) {
    case 'create':
      return ['CREATE'];
    case 'delete':
      return ['DELETE'];
    case 'restore':
      return ['CREATE', 'UPDATE', 'DELETE'];
    default:
      return ['UPDATE'];
  }
}
