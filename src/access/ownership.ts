import { ServiceError } from '../errors.js';
import type { Ownership } from '../model/declare/scheme.js';
import type { ExtensionObject } from '../model/object.js';
import { parseObject } from '../store/object-record.js';
import type { WrittenChange } from '../store/transaction.js';
import type { Writer } from './escalation-check.js';
import { isEverything } from './last-admin.js';

/**
 * Refuses changes of objects that belong to other users. Administrators may change them, too, because their owners may be gone.
 * @throws ServiceError `Forbidden`
 */
export function refuseOthersObjects({ user, rules }: Writer, changes: readonly WrittenChange[]): void {
  for (const { table, old } of changes) {
    const ownership = table.scheme?.ownership;
    if (ownership === undefined || old === undefined) continue;
    const object = parseObject(old.bytes);
    const owner = ownership.ownerOf(object);
    if (owner === undefined || owner === user || rules.some(isEverything)) continue;
    const { group, kind, plural } = table.resource;
    const { name } = object.metadata;
    throw new ServiceError(
      'Forbidden',
      `user "${user}" may not change ${plural} "${name}": only its owner may`,
      { group, kind, name },
    );
  }
}

/** True when a user may read an object of a model with owners. */
export function mayReadOwned(ownership: Ownership, object: ExtensionObject, user: string): boolean {
  const owner = ownership.ownerOf(object);
  return owner === undefined || owner === user || ownership.isShared(object);
}
