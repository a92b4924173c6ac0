import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { ExtensionObject } from '../model/object.js';
import type { Models } from '../service/models.js';
import type { Service } from '../service/service.js';
import type { ResourceRef } from '../service/verbs.js';
import type { StoreTransaction } from '../store/transaction.js';
import { ROLE_BINDINGS, ROLES, SESSIONS, TOKENS, USERS } from './models.js';

type ByName = ReadonlyMap<string, ExtensionObject>;

/** All roles and bindings. */
export interface Grants {
  readonly roles: ByName;
  readonly bindings: ByName;
}

/** Changes with every role and every binding. */
export async function grantsStamp({ models, store }: Service): Promise<string> {
  const view = store.read();
  try {
    const counts = await Promise.all([ROLES, ROLE_BINDINGS].map((model) => view.count(models.table(model))));
    return counts.map(({ revision }) => revision).join();
  } finally {
    view.close();
  }
}

/**
 * A stamp that changes with users, tokens, roles and bindings, and with no other write. It is read model by model, so a later read
 * is at least as new.
 */
export function accessStamp({ models, store }: Service): MaybePromise<string> {
  const revisions = [USERS, TOKENS, SESSIONS, ROLES, ROLE_BINDINGS].map((model) =>
    store.modelRevision(models.table(model)),
  );
  // In parallel: in sequence, an error of the first would leave the later promises without a handler.
  if (revisions.every((revision) => typeof revision === 'number')) return revisions.join();
  return Promise.all(revisions.map((revision) => Promise.resolve(revision))).then((all) => all.join());
}

/** The stamp that a commit finds, before its own changes. */
export function grantsStampIn(tx: StoreTransaction, models: Models): string {
  return [ROLES, ROLE_BINDINGS].map((model) => tx.revisionBefore(models.table(model))).join();
}

/** Reads roles and bindings, at least as new as every stamp that was taken before. */
export async function readGrants(service: Service): Promise<Grants> {
  const [roles, bindings] = await Promise.all([byName(service, ROLES), byName(service, ROLE_BINDINGS)]);
  return { roles, bindings };
}

async function byName(service: Service, model: ResourceRef): Promise<ByName> {
  const objects = new Map<string, ExtensionObject>();
  for await (const object of service.listAll(model)) objects.set(object.metadata.name, object);
  return objects;
}
