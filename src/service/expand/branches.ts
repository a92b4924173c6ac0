import { badRequest, formatExcerpt, type ServiceError } from '../../errors.js';
import { hasOwnIncluded, INCLUDED } from '../../model/included.js';
import type { ModelReference } from '../../model/references/reference.js';
import { modelKey } from '../../model/resource.js';
import type { ReferencePath } from '../../query/expand.js';
import type { CurrentView } from '../../store/store.js';
import type { Table, TableIndex } from '../../store/table.js';

/** A reference to follow, and those to follow from its targets. */
export interface Branch {
  /** The index of the names in the field. */
  readonly index: TableIndex;
  readonly target: Table;
  readonly next: readonly Branch[];
}

/**
 * Finds the references that paths name. A target model that the store does not have has no objects, so its reference is left out.
 * @throws ServiceError `BadRequest` for a path that is not one of references, or for a model whose objects have a member
 * {@link INCLUDED}; `ServiceUnavailable` while an index is built
 */
export function bindPaths(
  paths: readonly ReferencePath[],
  from: Table,
  tables: CurrentView['tables'],
): readonly Branch[] {
  const { kind } = from.resource;
  if (hasOwnIncluded(from.resource))
    throw badRequest(`expand: objects of ${kind} have a field ${INCLUDED} of their own`);
  const rests = new Map<string, ReferencePath[]>();
  for (const [field = '', ...rest] of paths) {
    const known = rests.get(field) ?? [];
    rests.set(field, known);
    if (rest.length > 0) known.push(rest);
  }
  return [...rests].flatMap(([field, next]) => {
    const reference = from.references.find((one) => one.field === field);
    const index = from.indexes.find(({ name }) => name === field);
    if (reference === undefined || index === undefined) throw notReference(from, field);
    const target = tables.get(modelKey(reference));
    if (target === undefined) {
      if (next.length > 0) throw notFollowed(reference, next);
      return [];
    }
    const building = index.ready ? undefined : from.building();
    if (building !== undefined) throw building;
    return [{ index, target, next: next.length === 0 ? [] : bindPaths(next, target, tables) }];
  });
}

function notReference({ resource: { kind }, references }: Table, field: string): ServiceError {
  const known = references.map((one) => one.field).join(', ');
  const choice = known === '' ? `${kind} has none` : `references of ${kind}: ${known}`;
  return badRequest(`expand: "${formatExcerpt(field)}" is not a reference of ${kind}; ${choice}`);
}

function notFollowed({ kind, group }: ModelReference, [path = []]: readonly ReferencePath[]): ServiceError {
  const field = formatExcerpt(path.join('->'));
  return badRequest(`expand: "${field}" cannot be followed: the store has no model ${kind} of ${group}`);
}
