import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { ExtensionObject } from '../model/object.js';
import type { Models } from '../service/models.js';
import type { Service } from '../service/service.js';
import type { ResourceRef } from '../service/verbs.js';
import type { StoreTransaction } from '../store/transaction.js';
import { ROLE_BINDINGS, ROLES, SESSIONS, TOKENS, USERS } from './models.js';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  NAMESPACE_ROLE_BINDINGS,
  NAMESPACE_ROLES,
  servedOf,
  SERVICE_ACCOUNTS,
} from './rbac/models.js';
import { grantKey, isRbacKey } from './rbac/objects.js';

type ByKey = ReadonlyMap<string, ExtensionObject>;

/** All roles and bindings, of the platform and of Kubernetes. */
export interface Grants {
  readonly roles: ByKey;
  readonly bindings: ByKey;
}

/** The models of roles, and of bindings. Those of Kubernetes are not always served. */
export const ROLE_MODELS: readonly ResourceRef[] = [ROLES, CLUSTER_ROLES, NAMESPACE_ROLES];
export const BINDING_MODELS: readonly ResourceRef[] = [
  ROLE_BINDINGS,
  CLUSTER_ROLE_BINDINGS,
  NAMESPACE_ROLE_BINDINGS,
];
const GRANT_MODELS = [...ROLE_MODELS, ...BINDING_MODELS];
const ACCESS_MODELS = [USERS, TOKENS, SESSIONS, SERVICE_ACCOUNTS, ...GRANT_MODELS];

/** Changes with every role and every binding. */
export async function grantsStamp({ models, store }: Service): Promise<string> {
  return store.within(async (view) => {
    const counts = await Promise.all(
      servedOf(models, GRANT_MODELS).map((model) => view.count(models.table(model))),
    );
    return counts.map(({ revision }) => revision).join();
  });
}

/**
 * A stamp that changes with users, tokens, roles and bindings, and with no other write. It is read model by model, so a later read
 * is at least as new.
 */
export function accessStamp({ models, store }: Service): MaybePromise<string> {
  const revisions = servedOf(models, ACCESS_MODELS).map((model) => store.modelRevision(models.table(model)));
  // In parallel: in sequence, an error of the first would leave the later promises without a handler.
  if (revisions.every((revision) => typeof revision === 'number')) return revisions.join();
  return Promise.all(revisions.map((revision) => Promise.resolve(revision))).then((all) => all.join());
}

/** The stamp that a commit finds, before its own changes. */
export function grantsStampIn(tx: StoreTransaction, models: Models): string {
  return servedOf(models, GRANT_MODELS)
    .map((model) => tx.revisionBefore(models.table(model)))
    .join();
}

/** Reads roles and bindings, at least as new as every stamp that was taken before. */
export async function readGrants(service: Service): Promise<Grants> {
  const [roles, bindings] = await Promise.all([byKey(service, ROLE_MODELS), byKey(service, BINDING_MODELS)]);
  return { roles, bindings };
}

async function byKey(service: Service, models: readonly ResourceRef[]): Promise<ByKey> {
  const objects = new Map<string, ExtensionObject>();
  for (const model of servedOf(service.models, models))
    for await (const object of service.listAll(model)) objects.set(grantKey(object), object);
  return objects;
}

/** The roles and bindings of the platform alone. */
export function ofPlatform({ roles, bindings }: Grants): Grants {
  const own = (all: ByKey): ByKey => new Map([...all].filter(([key]) => !isRbacKey(key)));
  return { roles: own(roles), bindings: own(bindings) };
}
