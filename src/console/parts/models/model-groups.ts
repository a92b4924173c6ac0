import { getPath, isOfKubernetes, isOfPlatform, type Model } from '../../api/models.js';
import type { Plugin } from '../../api/platform/plugins.js';
import { groupBy } from '../../lib/group-by.js';
import { getModelHints } from '../../lib/hints.js';
import { hasTyped, humanize } from '../../lib/naming.js';
import { t } from '../../texts.js';

/** Models under one heading. */
interface ModelGroup {
  readonly name: string;
  /** Of the plugin that owns them. */
  readonly version: string | undefined;
  readonly models: readonly Model[];
}

interface GroupedModels {
  readonly groups: readonly ModelGroup[];
  /** Those of the platform, and of Kubernetes. */
  readonly system: readonly Model[];
}

/** True when one of the model's names contains the typed text. */
export function isMeant({ plural, kind, group }: Model, typed: string): boolean {
  return hasTyped(`${plural} ${kind} ${plural}.${group}`, typed);
}

type Owner = Pick<ModelGroup, 'name' | 'version'>;

/** The owners of models by their paths; a stopped plugin does not report its models. */
export type KnownOwners = Map<string, Owner>;

/**
 * Groups models by the hint of their schema, or else by the plugin that owns them.
 * @param plugins undefined while they are unknown
 */
export function groupModels(
  models: readonly Model[],
  plugins: readonly Plugin[] | undefined,
  owners: KnownOwners,
): GroupedModels {
  for (const plugin of plugins ?? [])
    for (const model of plugin.models)
      owners.set(getPath(model), {
        name: plugin.displayName ?? humanize(plugin.name),
        version: plugin.version,
      });
  const owned = models.map((model) => ({ model, owner: findGroup(model, owners, plugins !== undefined) }));
  const groups = groupBy(owned, ({ owner }) => (owner === undefined ? [] : [owner.name]));
  return {
    groups: [...groups].map(([name, those]) => ({
      name,
      version: those[0]?.owner?.version,
      models: those.map(({ model }) => model),
    })),
    system: owned.filter(({ owner }) => owner === undefined).map(({ model }) => model),
  };
}

/** Undefined for a model of the system. */
function findGroup(model: Model, owners: KnownOwners, areOwnersKnown: boolean): Owner | undefined {
  const owner = owners.get(getPath(model));
  const hint = getModelHints(model.schema).group;
  if (hint !== undefined) return { name: hint, version: owner?.name === hint ? owner.version : undefined };
  if (owner !== undefined && !isOfPlatform(model)) return owner;
  if (isOfPlatform(model) || isOfKubernetes(model)) return undefined;
  // Without the right to see plugins, only the name of the group says what belongs together.
  const name = areOwnersKnown ? t`Custom models` : humanize(model.group.split('.')[0] ?? model.group);
  return { name, version: undefined };
}
