import { conflict, formatExcerpt, invalid, type Cause, type ServiceError } from '../../errors.js';
import { isNamespaced, splitFullName } from '../../model/full-name.js';
import type { ModelReference } from '../../model/references/reference.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Table } from '../../store/table.js';
import type { MayList } from '../verbs.js';
import type { Keepers } from './keepers.js';
import type { NamedTarget } from './work.js';
import { getDetails, getSubject } from '../object-errors.js';

/**
 * The error of a deletion that references prevent.
 * @param target the object with references: the deleted one, or one of its cascade
 */
export function referredTo(
  root: NamedTarget,
  target: NamedTarget,
  keepers: Keepers,
  mayList: MayList,
): ServiceError {
  const subject = getSubject(root.table.resource, root.name);
  const isRoot = root.table === target.table && root.name === target.name;
  const what = isRoot ? 'it' : `${formatTarget(target, mayList)}, which would be deleted with it`;
  const who = keepers.total === 1 ? '1 object refers' : `${keepers.total} objects refer`;
  return conflict(
    `${subject} cannot be deleted: ${who} to ${what}; delete the referring objects first, or change their references`,
    {
      ...getDetails(root.table.resource, root.name),
      causes: keepers.causes(isRoot ? 'it' : 'an object that would be deleted with it'),
    },
  );
}

/** An object by its name; only by its model when the sender may not list it. */
function formatTarget({ table: { resource }, name }: NamedTarget, mayList: MayList): string {
  return mayList(resource) ? getSubject(resource, name) : `an object of ${qualifiedPlural(resource)}`;
}

/** The error for names in a write without a target. */
export function withoutTarget({ table, name }: NamedTarget, causes: readonly Cause[]): ServiceError {
  return invalid(getSubject(table.resource, name), causes, getDetails(table.resource, name));
}

/** The error of a target. `unplaced`: the name lacks the namespace. */
export type TargetFault = 'unknown' | 'missing' | 'unplaced' | 'deleting';

/** The error of a name that no object of a model has. @param name see `targetName` */
export function missingFault({ resource }: Table, name: string): TargetFault {
  return isNamespaced(resource) && splitFullName(name).namespace === undefined ? 'unplaced' : 'missing';
}

/**
 * The cause for a name that is refused.
 * @param field dotted path of the name
 */
export function targetCause(
  { group, kind }: ModelReference,
  fault: TargetFault,
  field: string,
  name: string,
): Cause {
  const target = `${kind} "${formatExcerpt(name)}"`;
  switch (fault) {
    case 'unknown':
      return {
        field,
        reason: 'FieldValueNotFound',
        message: `${target} not found: no plugin declares the model ${kind} of the group "${group}"`,
      };
    case 'missing':
      return { field, reason: 'FieldValueNotFound', message: `${target} not found` };
    case 'unplaced':
      return {
        field,
        reason: 'FieldValueNotFound',
        message: `${target} not found: write it as <namespace>/<name>`,
      };
    case 'deleting':
      return { field, reason: 'FieldValueInvalid', message: `${target} is being deleted` };
  }
}

/** The error of a deletion that requires a change of an object which cannot be changed. */
export function unfitReferrer(referrer: NamedTarget, error: Error, mayList: MayList): ServiceError {
  const { resource } = referrer.table;
  const isListed = mayList(resource);
  return conflict(
    `${formatTarget(referrer, mayList)} refers to an object that would be deleted, and its reference cannot be cleared${isListed ? `: ${error.message}` : ''}`,
    getDetails(resource, isListed ? referrer.name : undefined),
  );
}
