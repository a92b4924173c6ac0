import { unavailable } from '../../errors.js';
import { holderText } from '../../cluster/served-models.js';
import type { DeclaredModels } from '../../daemon/offline/declared-models.js';
import type { ModelLifecycle } from '../../lifecycle/model-lifecycle.js';
import type { Scheme } from '../../model/declare/scheme.js';
import { modelKey } from '../../model/resource.js';
import { resolveResource } from '../../model/resolve-resource.js';

/**
 * The model of a kind, plural, singular or short name, with its code.
 * @param work what cannot be done to its objects without the code, as a participle
 * @throws ServiceError `NotFound`; `ServiceUnavailable` when its code is not available
 */
export function getScheme({ store, schemes }: DeclaredModels, kind: string, work: string): Scheme {
  const declared = schemes.map(({ resource }) => resource);
  const keys = new Set(declared.map(modelKey));
  const others = store.allTables().map(({ resource }) => resource);
  const all = [...declared, ...others.filter((resource) => !keys.has(modelKey(resource)))];
  const resource = resolveResource(all, kind);
  const scheme = schemes.find((one) => modelKey(one.resource) === modelKey(resource));
  if (scheme !== undefined) return scheme;
  throw unavailable(`no loaded plugin declares ${resource.kind}, so its objects cannot be ${work}`);
}

/**
 * @param other another way, for the message
 * @throws ServiceError `ServiceUnavailable` when a running process serves the model
 */
export async function refuseServed(
  { cluster }: ModelLifecycle,
  { resource: { group, kind } }: Scheme,
  other?: string,
): Promise<void> {
  const holder = await cluster.findHolder({ group, kind });
  if (holder === undefined) return;
  throw unavailable(
    `${holderText(holder)} serves ${kind}; stop it and try again${other === undefined ? '' : `, ${other}`}`,
    { group, kind },
  );
}
