import type { ExtensionObject } from '../model/object.js';
import type { ResourceRef } from '../service/verbs.js';
import { parseObject } from '../store/object-record.js';
import type { WrittenChange } from '../store/transaction.js';
import { BINDING_MODELS, ROLE_MODELS, type Grants } from './grants.js';
import { SESSIONS, TOKENS, USERS } from './models.js';
import { grantKey } from './rbac/objects.js';

/** The change of one object by a commit: before and after it. */
export interface AccessChange {
  readonly model: ResourceRef;
  readonly name: string;
  /** Identifies a role or a binding, see {@link grantKey}. */
  readonly key: string;
  readonly old: ExtensionObject | undefined;
  readonly next: ExtensionObject | undefined;
}

const MODELS: readonly ResourceRef[] = [USERS, TOKENS, SESSIONS, ...ROLE_MODELS, ...BINDING_MODELS];

/** The changes of users, roles, bindings and tokens by a commit. */
export function accessChanges(changes: readonly WrittenChange[]): readonly AccessChange[] {
  const found = new Map<string, AccessChange>();
  for (const { table, old, next } of changes) {
    const { group, kind } = table.resource;
    const model = MODELS.find((one) => group === one.group && kind === one.kind);
    if (model === undefined) continue;
    const before = old === undefined ? undefined : parseObject(old.bytes);
    const after = next === undefined ? undefined : parseObject(next.json);
    const object = after ?? before;
    if (object === undefined) continue;
    const { name } = object.metadata;
    const key = grantKey(object);
    const id = `${group} ${kind} ${key}`;
    // A batch may change an object more than once.
    const earlier = found.get(id);
    found.set(id, { model, name, key, old: earlier === undefined ? before : earlier.old, next: after });
  }
  return [...found.values()];
}

/** Finds an object of a model by its name; undefined without one. */
export type FindByName = (name: string) => ExtensionObject | undefined;

/** Finds objects of a model as they were before the changes. @param findNow as they are after them */
export function findBefore(
  changes: readonly AccessChange[],
  model: ResourceRef,
  findNow: FindByName,
): FindByName {
  const old = new Map(changes.filter((one) => one.model === model).map((one) => [one.name, one.old]));
  return (name) => (old.has(name) ? old.get(name) : findNow(name));
}

export function withChanges({ roles, bindings }: Grants, changes: readonly AccessChange[]): Grants {
  return {
    roles: replaced(roles, changes, ROLE_MODELS),
    bindings: replaced(bindings, changes, BINDING_MODELS),
  };
}

function replaced(
  objects: ReadonlyMap<string, ExtensionObject>,
  changes: readonly AccessChange[],
  models: readonly ResourceRef[],
): ReadonlyMap<string, ExtensionObject> {
  const after = new Map(objects);
  for (const change of changes) {
    if (!models.includes(change.model)) continue;
    if (change.next === undefined) after.delete(change.key);
    else after.set(change.key, change.next);
  }
  return after;
}
