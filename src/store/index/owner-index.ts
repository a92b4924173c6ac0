import { OWNER_UIDS } from '../../model/owner-references.js';
import type { KeyRange } from '../engine.js';
import { entriesWith } from './keys.js';
import type { Table, TableIndex } from '../table.js';

const DELETION = 'metadata.deletionTimestamp';

/** Undefined while it is built, and for a model declared by a version of the program without owners. */
export function ownerIndex({ indexes }: Table): TableIndex | undefined {
  return indexes.find(({ name, ready }) => name === OWNER_UIDS && ready);
}

/** The index of objects that are being deleted. */
export function deletionIndex({ indexes }: Table): TableIndex | undefined {
  return indexes.find(({ name, ready }) => name === DELETION && ready);
}

/** The entries of the objects that name an owner with this uid. */
export function entriesOfUid({ id, keyType }: TableIndex, uid: string): KeyRange {
  return entriesWith(id, keyType, Buffer.from(uid));
}
