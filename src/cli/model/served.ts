import { holderText } from '../../cluster/served-models.js';
import type { DeclaredModels } from '../../daemon/offline/declared-models.js';
import { isRecord } from '../../lib/json/json.js';
import { modelKey } from '../../model/resource.js';

/** A model that a running process serves with another declaration than that of the plugins here. */
export interface ServedModel {
  /** The process, for messages. */
  readonly process: string;
  /** The plugin that declares the model there; empty when its object does not say so. */
  readonly plugin: string;
}

const PLUGINS = { group: 'plugin.platform.run', version: 'v1alpha1', kind: 'Plugin', plural: 'plugins' };

/** The models of running processes whose declarations the plugins here do not have, by {@link modelKey}. */
export async function findServedOtherwise({
  store,
  lifecycle,
  schemes,
  verbs,
}: DeclaredModels): Promise<ReadonlyMap<string, ServedModel>> {
  const { isDeclared } = await import('../../lifecycle/declaration.js');
  const here = new Map(schemes.map((scheme) => [modelKey(scheme.resource), scheme]));
  const served = new Map<string, ServedModel>();
  let owners: ReadonlyMap<string, string> | undefined;
  for (const { resource } of store.allTables()) {
    const key = modelKey(resource);
    const record = store.findRecord(resource);
    const scheme = here.get(key);
    if (record === undefined || (scheme !== undefined && isDeclared(record, scheme))) continue;
    const holder = await lifecycle.cluster.findHolder(resource);
    if (holder === undefined) continue;
    owners ??= await readOwners(store, verbs);
    served.set(key, { process: holderText(holder), plugin: owners.get(key) ?? '' });
  }
  return served;
}

/** The plugins by the models that they have registered, by {@link modelKey}, as their objects say. */
async function readOwners(
  store: DeclaredModels['store'],
  verbs: DeclaredModels['verbs'],
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  if (store.findTable(PLUGINS) === undefined) return owners;
  for await (const { metadata, status } of verbs.listAll(PLUGINS)) {
    const models: unknown = isRecord(status) ? status.models : undefined;
    for (const model of Array.isArray(models) ? models : [])
      if (isRecord(model)) owners.set(`${String(model.group)}/${String(model.kind)}`, metadata.name);
  }
  return owners;
}
