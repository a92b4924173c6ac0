import { deepEqual } from '../../lib/json/json.js';
import { applyMergePatch } from '../../lib/json/merge-patch.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import type { BatchItem, Verbs } from '../../service/verbs.js';
import type { Manifest } from '../input/manifests.js';
import { getManifest, statedMetadata } from '../output/manifest.js';
import {
  asItStands,
  applyPendingMigrations,
  dated,
  type BringingItem,
  type DatedManifest,
} from './last-migration.js';
import { removedPaths } from './removals.js';

/** The options for the comparison of manifests with existing objects. */
export interface ImportPlanOptions {
  /** True to leave existing objects unchanged. */
  readonly skipExisting: boolean;
  /** True to keep members of existing objects that a manifest does not state. */
  readonly merge: boolean;
  /** True when objects are in the current shape. Otherwise those without a statement are older than all migrations. */
  readonly asIs: boolean;
}

/** The work for one manifest. */
export interface ImportStep {
  readonly manifest: Manifest;
  readonly verb: 'created' | 'configured' | 'unchanged' | 'skipped';
  readonly item: ImportItem | undefined;
  /** Paths that are removed from the object. */
  readonly removed: readonly string[];
  /** Ids of the migrations of the manifest. */
  readonly migrations: readonly string[];
}

export type ImportItem = Extract<BatchItem, { verb: 'create' | 'update' }>;

/** Compares the manifests with existing objects and returns the necessary work. */
export async function plan(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: ImportPlanOptions,
): Promise<ImportStep[]> {
  const live = new Map<Manifest, ExtensionObject | undefined>();
  for (const resource of new Set(manifests.map((manifest) => manifest.resource))) {
    const wanted = manifests.filter((manifest) => manifest.resource === resource);
    const found = await verbs.getMany(
      resource,
      wanted.map(({ name }) => name),
    );
    for (const [i, manifest] of wanted.entries()) live.set(manifest, found[i]);
  }
  const stated = manifests.map((manifest) => ({
    manifest,
    live: live.get(manifest),
    dated: options.asIs ? asItStands(manifest) : dated(manifest, 'from before all'),
  }));
  const values = await compared(verbs, stated, options);
  return stated.map((one, i) => planOne({ ...one, value: values[i] }, options));
}

/** A manifest and its existing object. */
interface Stated {
  readonly manifest: Manifest;
  readonly live: ExtensionObject | undefined;
  readonly dated: DatedManifest;
}

/** Manifests in the shape of the existing objects; undefined when the service would refuse the write. */
async function compared(
  verbs: Verbs,
  stated: readonly Stated[],
  { skipExisting }: ImportPlanOptions,
): Promise<readonly (ObjectDraft | undefined)[]> {
  const older = stated.flatMap(({ manifest, live, dated: { value, outstanding } }): BringingItem[] => {
    if (live === undefined || skipExisting || outstanding === undefined) return [];
    const { resource, name } = manifest;
    return [{ verb: 'update', resource, name, object: ownPart(value, live) }];
  });
  const brought = await applyPendingMigrations(verbs, older);
  let next = 0;
  return stated.map(({ live, dated: { value, outstanding } }) =>
    live === undefined || skipExisting || outstanding === undefined ? value : brought[next++],
  );
}

/** The content of a manifest, and the existing finalizers when it states none. */
function ownPart({ metadata = {}, ...rest }: ObjectDraft, live?: ExtensionObject): ObjectDraft {
  const stated = statedMetadata(metadata);
  const finalizers = live?.metadata.finalizers;
  const isKept = finalizers !== undefined && !('finalizers' in stated);
  return { ...rest, metadata: isKept ? { ...stated, finalizers } : stated };
}

function planOne(
  { manifest, live, dated, value }: Stated & { readonly value: ObjectDraft | undefined },
  { skipExisting, merge }: ImportPlanOptions,
): ImportStep {
  const { resource, name } = manifest;
  const step = { manifest, removed: [], migrations: dated.outstanding ?? [] };
  if (live === undefined)
    return { ...step, verb: 'created', item: { verb: 'create', resource, object: ownPart(dated.value) } };
  if (skipExisting) return { ...step, verb: 'skipped', item: undefined };
  if (value === undefined) {
    const object = ownPart(dated.value, live);
    return { ...step, verb: 'configured', item: { verb: 'update', resource, name, object } };
  }
  const own = ownPart(value, live);
  const wanted: ObjectDraft = merge ? { ...(applyMergePatch(getManifest(live), own) as object) } : own;
  if (isSame(wanted, live)) return { ...step, verb: 'unchanged', item: undefined };
  const { status: _, ...before } = getManifest(live);
  const removed = removedPaths(before, wanted);
  const { resourceVersion } = live.metadata;
  const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
  return { ...step, verb: 'configured', item: { verb: 'update', resource, name, object }, removed };
}

/** True when the object has the wanted state already; a status that is not stated is ignored. */
function isSame(wanted: ObjectDraft, live: ExtensionObject): boolean {
  const { status, ...rest } = getManifest(live);
  return deepEqual(wanted, 'status' in wanted && status !== undefined ? { ...rest, status } : rest);
}
