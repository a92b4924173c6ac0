import { conflict, formatExcerpt, invalid, type Cause, type ServiceError } from '../../errors.js';
import type { ModelReference } from '../../model/references/reference.js';
import { qualifiedPlural } from '../../model/resource.js';
import { getDetails, getSubject } from '../write/validate-write.js';
import type { MayList } from '../verbs.js';
import type { Keepers } from './keepers.js';
import type { Named } from './work.js';

/**
 * Why an object cannot be deleted.
 * @param target what is referred to: it, or what would go with it
 */
export function referredTo(root: Named, target: Named, keepers: Keepers, mayList: MayList): ServiceError {
  const subject = getSubject(root.table.resource, root.name);
  const isRoot = root.table === target.table && root.name === target.name;
  const what = isRoot ? 'it' : `${told(target, mayList)}, which would be deleted with it`;
  const who = keepers.total === 1 ? '1 object refers' : `${keepers.total} objects refer`;
  return conflict(
    `${subject} cannot be deleted: ${who} to ${what}; delete the referring objects first, or change their references`,
    {
      ...getDetails(root.table.resource, root.name),
      causes: keepers.causes(isRoot ? 'it' : 'an object that would be deleted with it'),
    },
  );
}

/** An object by its name, or by its model alone to who may not list it. */
function told({ table: { resource }, name }: Named, mayList: MayList): string {
  return mayList(resource) ? getSubject(resource, name) : `an object of ${qualifiedPlural(resource)}`;
}

/** The error for names that a write refers to, and that are not there. */
export function withoutTarget({ table, name }: Named, causes: readonly Cause[]): ServiceError {
  return invalid(getSubject(table.resource, name), causes, getDetails(table.resource, name));
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
    case 'deleting':
      return { field, reason: 'FieldValueInvalid', message: `${target} is being deleted` };
  }
}

/** Why the deletion of a target is refused that another object cannot be changed for. */
export function unfitReferrer(referrer: Named, error: Error, mayList: MayList): ServiceError {
  const { resource } = referrer.table;
  const isTold = mayList(resource);
  return conflict(
    `${told(referrer, mayList)} refers to an object that would be deleted, and its reference cannot be cleared${isTold ? `: ${error.message}` : ''}`,
    getDetails(resource, isTold ? referrer.name : undefined),
  );
}
