import { formatExcerpt, ServiceError } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import type { Condition } from '../../query/condition.js';
import { getField, LABELS, NAME_INDEX } from '../../query/fields.js';
import type { FacetField } from '../../query/counts/facets.js';
import type { ListRequest } from '../../query/list-options.js';
import { hidesFields, type ObjectScope } from './object-scope.js';

/**
 * Refuses a list that depends on fields that the sender may not read in all objects: its order and its numbers would show their values.
 * @throws ServiceError `Forbidden`
 */
export function refuseHiddenFields(request: ListRequest, resource: Resource, scope: ObjectScope): void {
  refuseHiddenIn(request.condition, resource, scope);
  for (const { field } of request.sort) refuseHidden(field, resource, scope);
  for (const { index } of countedFields(request))
    refuseHidden((resource.indexes[index] ?? NAME_INDEX).name, resource, scope);
  for (const [field] of request.expand ?? []) if (field !== undefined) refuseHidden(field, resource, scope);
  // The words of an object come from several of its fields.
  if (request.search !== undefined && hidesFields(scope)) throw refused('search', resource);
}

/** @throws ServiceError `Forbidden` */
export function refuseHiddenIn(condition: Condition, resource: Resource, scope: ObjectScope): void {
  for (const field of fieldsIn(condition, resource)) refuseHidden(field, resource, scope);
}

/** @throws ServiceError `Forbidden` */
export function refuseHidden(field: string, resource: Resource, { parts }: ObjectScope): void {
  if (parts.every(({ fields }) => fields?.contains(field) ?? true)) return;
  throw refused(`the field ${formatExcerpt(field)}`, resource);
}

function refused(what: string, { group, kind, plural }: Resource): ServiceError {
  return new ServiceError('Forbidden', `you may not use ${what} of ${plural}: you may not read all of it`, {
    group,
    kind,
  });
}

function countedFields({ facets, grouping }: ListRequest): readonly FacetField[] {
  if (grouping === undefined) return facets;
  return [...facets, ...grouping.groupBy, ...grouping.aggregates.map(({ field }) => field)];
}

/** The names of the indexes that a condition reads, without those of the targets of references. */
function fieldsIn(condition: Condition, resource: Resource): readonly string[] {
  switch (condition.op) {
    case 'all':
    case 'namespace':
      return [];
    case 'and':
    case 'or':
      return condition.of.flatMap((part) => fieldsIn(part, resource));
    case 'not':
      return fieldsIn(condition.of, resource);
    case 'labelIn':
    case 'labelExists':
      return [LABELS];
    default:
      return [getField(resource, condition.field).declaration.name];
  }
}
