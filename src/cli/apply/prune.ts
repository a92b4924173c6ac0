import { hasCode } from '../../errors.js';
import { isReservedGroup } from '../../model/names-and-labels.js';
import { fullName, isNamespaced, splitFullName } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import { inOneVersion, resolveResource } from '../../model/resolve-resource.js';
import { modelKey, qualifiedPlural, type Resource } from '../../model/resource.js';
import { LAST_APPLIED } from '../../model/applied-manifests.js';
import type { Verbs } from '../../service/verbs.js';
import { UsageError } from '../exit.js';
import { text, texts, toggle, type CommandFlags } from '../flags.js';
import { isEarly } from '../input/definitions.js';
import type { Manifest } from '../input/manifests.js';
import { checkNotEmpty } from '../select.js';
import type { Target } from '../targets.js';
import { OWNER } from './prepare.js';

/** Flags of commands that delete, or show, what the files no longer contain. */
export const PRUNE = {
  prune: toggle('delete objects that an earlier apply created and the files no longer contain; needs -l'),
  selector: texts('<selector>', 'objects that --prune may delete, like app=web (repeatable)', {
    short: '-l',
  }),
  pruneAllowlist: texts(
    '<resource>',
    'the only models whose objects --prune may delete (repeatable); default: all that you may list, but for those of ' +
      'the platform, namespaces and definitions',
  ),
  owner: text(
    '<name>',
    'name of this set of files, stored with its objects; --prune then deletes only objects of this set, and ' +
      'without a name only objects without a set',
  ),
};
type PruneFlags = CommandFlags<typeof PRUNE>;

/** @throws UsageError */
export function checkPruneFlags(command: string, flags: PruneFlags): void {
  const { prune = false, selector = [], pruneAllowlist = [], owner } = flags;
  if (prune && selector.length === 0)
    throw new UsageError('--prune needs -l with a selector of the objects that may be deleted');
  if (!prune && selector.length > 0)
    throw new UsageError(`-l needs --prune; ${command} uses all objects of the files`);
  if (!prune && pruneAllowlist.length > 0) throw new UsageError('--prune-allowlist needs --prune');
  checkNotEmpty('-l', selector);
  if (owner === '') throw new UsageError('--owner needs a name');
}

/** @throws ServiceError `NotFound` for a resource of the allowlist that is not served */
export function checkAllowlist(
  resources: readonly Resource[],
  { pruneAllowlist = [] }: Pick<PruneFlags, 'pruneAllowlist'>,
): void {
  for (const one of pruneAllowlist) resolveResource(resources, one);
}

/** Objects that an apply no longer states, in the order of the models. */
export interface Prunable {
  readonly objects: readonly PrunableObject[];
  /** Models that the user may not list. */
  readonly skipped: readonly Resource[];
}

export interface PrunableObject extends Target {
  readonly object: ExtensionObject;
}

/**
 * Finds the objects that earlier applies created and that the manifests no longer state: matching the selector, with the record
 * of apply, and of the same owner; in namespaces only in those of the manifests. Objects that are being deleted are left out.
 * @throws ServiceError `NotFound` for an unknown model of the allowlist
 */
export async function findPrunable(
  verbs: Pick<Verbs, 'resources' | 'listAll'>,
  manifests: readonly Manifest[],
  { selector: labelSelector = [], pruneAllowlist = [], owner }: PruneFlags,
): Promise<Prunable> {
  const stated = new Set(manifests.map(({ resource, name }) => `${modelKey(resource)}/${name}`));
  const visited = new Set(manifests.flatMap(({ name }) => splitFullName(name).namespace ?? []));
  const objects: PrunableObject[] = [];
  const skipped: Resource[] = [];
  for (const resource of searchedModels(await verbs.resources(), pruneAllowlist)) {
    try {
      // Only with the whole list: the right to list may end half-way.
      const found: PrunableObject[] = [];
      for (const namespace of isNamespaced(resource) ? visited : [undefined])
        for await (const object of verbs.listAll(resource, {
          labelSelector,
          ...(namespace !== undefined && { namespace }),
        })) {
          const name = fullName(resource, object.metadata);
          if (stated.has(`${modelKey(resource)}/${name}`) || !wasApplied(object, owner)) continue;
          found.push({ resource, name, object });
        }
      objects.push(...found);
    } catch (error) {
      // A model that has just been removed has no objects.
      if (hasCode(error, 'NotFound')) continue;
      if (!hasCode(error, 'Forbidden')) throw error;
      skipped.push(resource);
    }
  }
  return { objects, skipped };
}

/** The message about models that were not searched; undefined when there are none. */
export function formatSkipped({ skipped }: Prunable): string | undefined {
  if (skipped.length === 0) return undefined;
  return `not searched for objects to prune, because you may not list them: ${skipped.map(qualifiedPlural).join(', ')}`;
}

function searchedModels(resources: readonly Resource[], allowlist: readonly string[]): readonly Resource[] {
  const models = inOneVersion(resources);
  if (allowlist.length === 0)
    return models.filter((model) => !isReservedGroup(model.group) && !isEarly(model));
  const named = new Set(allowlist.map((one) => modelKey(resolveResource(resources, one))));
  return models.filter((resource) => named.has(modelKey(resource)));
}

function wasApplied({ metadata }: ExtensionObject, owner: string | undefined): boolean {
  const { annotations = {}, deletionTimestamp } = metadata;
  return (
    deletionTimestamp === undefined && annotations[LAST_APPLIED] !== undefined && annotations[OWNER] === owner
  );
}
