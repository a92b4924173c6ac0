import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { EXPIRES_AT, getExpirationMs, TTL } from '../model/expiration.js';
import type { ExtensionObject } from '../model/object.js';
import { getOwners, OWNERS_PATH } from '../model/owner-references.js';
import { parseObject } from '../store/object-record.js';
import type { WrittenChange } from '../store/transaction.js';
import { fullName } from '../model/full-name.js';
import { actionOn, describeAction, isAllowed, type AccessRule } from './rules.js';

/** Each object that has owners or an end mentions one of these. */
const MENTIONS = ['"ownerReferences"', EXPIRES_AT, TTL] as const;

/**
 * An object is deleted with its owners, and at its end: a user who sets other owners or an earlier end must be allowed to
 * delete the object.
 * @throws ServiceError `Forbidden`
 */
export function refuseEndingChanges(
  { user, rules }: { readonly user: string; readonly rules: readonly AccessRule[] },
  changes: readonly WrittenChange[],
): void {
  for (const { table, old, next } of changes) {
    if (old === undefined || next === undefined) continue;
    if (!MENTIONS.some((text) => old.bytes.includes(text) || next.json.includes(text))) continue;
    const after = parseObject(next.json);
    const field = findEndingChange(parseObject(old.bytes), after);
    if (field === undefined) continue;
    const { group, kind } = table.resource;
    const { name } = after.metadata;
    const action = actionOn('delete', table.resource, fullName(table.resource, after.metadata));
    if (isAllowed(rules, action)) continue;
    throw new ServiceError(
      'Forbidden',
      `user "${user}" may not change ${field} without the right to ${describeAction(action)}`,
      { group, kind, name },
    );
  }
}

/** The changed field with which an object may end earlier. */
function findEndingChange(before: ExtensionObject, after: ExtensionObject): string | undefined {
  if (!deepEqual(getOwners(before), getOwners(after))) return OWNERS_PATH;
  return getExpirationMs(after) < getExpirationMs(before) ? `${EXPIRES_AT} or ${TTL}` : undefined;
}
