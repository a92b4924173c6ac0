import { conflict, excerpt, invalid, shortPath, type Cause, type ServiceError } from '../../errors.js';
import type { ModelReference } from '../../model/references/reference.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Table } from '../../store/table.js';
import type { Named } from './work.js';
import { detailsOf, subjectOf } from '../validate-write.js';

/** Of those that refer to a deleted object, a refusal names so many. */
export const NAMED_MAX = 10;

/** Who refers to a deleted object, and by which field. */
export interface Referrer extends Named {
  readonly field: string;
}

/** By model, then by name. */
export function compareReferrers(a: Referrer, b: Referrer): number {
  const [first, second] = [sortKey(a), sortKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function sortKey({ table: { resource }, name, field }: Referrer): string {
  return `${resource.group}/${resource.kind}\0${name}\0${field}`;
}

/**
 * Why an object cannot be deleted.
 * @param target what is referred to: it, or what would go with it
 * @param referrers the first ones, in their order
 */
export function referredTo(
  root: Named,
  target: Named,
  { total, referrers }: { readonly total: number; readonly referrers: readonly Referrer[] },
): ServiceError {
  const subject = subjectOf(root.table.resource, root.name);
  const isRoot = root.table === target.table && root.name === target.name;
  const what = isRoot ? 'it' : `${subjectOf(target.table.resource, target.name)}, which would go with it`;
  const who = total === 1 ? '1 object refers' : `${total} objects refer`;
  const causes = referrers.slice(0, NAMED_MAX).map(({ table: { resource }, name, field }): Cause => {
    const model = excerpt(qualifiedPlural(resource));
    return {
      field: 'metadata.name',
      reason: 'FieldValueForbidden',
      message: `${subjectOf(resource, name)} (${model}) refers to ${isRoot ? 'it' : 'what would go with it'} in ${shortPath(field)}`,
    };
  });
  return conflict(
    `${subject} cannot be deleted: ${who} to ${what}; delete what refers first, or have it refer to something else`,
    { ...detailsOf(root.table.resource, root.name), causes },
  );
}

/** The error for names that a write refers to, and that are not there. */
export function withoutTarget({ table, name }: Named, causes: readonly Cause[]): ServiceError {
  return invalid(subjectOf(table.resource, name), causes, detailsOf(table.resource, name));
}

/** What is wrong with a target. */
export type TargetFault = 'unknown' | 'missing' | 'deleting';

/** Why a name is refused. @param field dotted path of where it stands */
export function targetCause(
  { group, kind }: ModelReference,
  fault: TargetFault,
  field: string,
  name: string,
): Cause {
  const target = `${kind} "${excerpt(name)}"`;
  switch (fault) {
    case 'unknown':
      return {
        field,
        reason: 'FieldValueNotFound',
        message: `${target} not found: no plugin has declared the model ${kind} of the group "${group}"`,
      };
    case 'missing':
      return { field, reason: 'FieldValueNotFound', message: `${target} not found` };
    case 'deleting':
      return { field, reason: 'FieldValueInvalid', message: `${target} is being deleted` };
  }
}

/** Why the deletion of a target is refused that another object cannot be changed for. */
export function unfitReferrer({ resource }: Table, name: string, error: Error): ServiceError {
  return conflict(
    `${subjectOf(resource, name)} refers to what would be deleted, and cannot be changed: ${error.message}`,
    detailsOf(resource, name),
  );
}
