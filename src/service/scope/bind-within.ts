import { bind, isSingleIn } from '../../query/bind.js';
import type { BoundCondition } from '../../query/bound-condition.js';
import { conjunction } from '../../query/normal-form.js';
import type { Table } from '../../store/table.js';
import { conditionOf, type ObjectScope } from './object-scope.js';

/** A condition for the objects of a scope only. The positions of indexes are those of the table in every version. */
export function bindWithin(
  condition: BoundCondition,
  scope: ObjectScope,
  { resource }: Pick<Table, 'resource'>,
): BoundCondition {
  return conjunction([condition, bind(conditionOf(scope, resource), resource)], isSingleIn(resource));
}
