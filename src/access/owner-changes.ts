import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { getOwners } from '../model/owner-references.js';
import { parseObject } from '../store/object-record.js';
import type { WrittenChange } from '../store/transaction.js';
import { describeAction, isAllowed, type AccessRule } from './rules.js';

const MENTION = '"ownerReferences"';

/**
 * An object is deleted with its owners: a user who sets other owners must be allowed to delete the object.
 * @throws ServiceError `Forbidden`
 */
export function refuseOwnerChanges(
  { user, rules }: { readonly user: string; readonly rules: readonly AccessRule[] },
  changes: readonly WrittenChange[],
): void {
  for (const { table, old, next } of changes) {
    if (old === undefined || next === undefined) continue;
    if (!old.bytes.includes(MENTION) && !next.json.includes(MENTION)) continue;
    const [before, after] = [parseObject(old.bytes), parseObject(next.json)];
    if (deepEqual(getOwners(before), getOwners(after))) continue;
    const { group, kind, plural: resource } = table.resource;
    const { name } = after.metadata;
    const action = { verb: 'delete', group, resource, name };
    if (isAllowed(rules, action)) continue;
    throw new ServiceError(
      'Forbidden',
      `user "${user}" may not change metadata.ownerReferences without the right to ${describeAction(action)}`,
      { group, kind, name },
    );
  }
}
