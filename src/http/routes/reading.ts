import { badRequest } from '../../errors.js';
import { readExpand } from '../../query/expand.js';
import { flag, oneOf, type Query } from './parameters.js';

const MATCHES = ['Exact', 'NotOlderThan'] as const;

/**
 * Checks parameters of reads that have an effect only together with others.
 * @throws ServiceError `BadRequest`
 */
export function checkReading(query: Query): void {
  flag(query, 'allowWatchBookmarks');
  flag(query, 'sendInitialEvents');
  oneOf(query, 'resourceVersionMatch', MATCHES);
}

/** True when a past state is requested. */
export function isExact(query: Query): boolean {
  return oneOf(query, 'resourceVersionMatch', MATCHES) === 'Exact';
}

/**
 * True when the answer follows references.
 * @param form of an answer without whole objects
 * @throws ServiceError `BadRequest` for an answer that cannot include objects
 */
export function isExpanded(query: Query, form: object | undefined): boolean {
  if (readExpand(query.expand) === undefined) return false;
  if (form !== undefined)
    throw badRequest('expand cannot be combined with a Table or PartialObjectMetadata: accept whole objects');
  if (isExact(query))
    throw badRequest(
      'expand cannot be combined with resourceVersionMatch=Exact: it follows present references',
    );
  return true;
}
