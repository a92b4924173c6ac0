import { deepEqual } from '../../lib/json.js';
import { applyMergePatch } from '../../lib/merge-patch.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import { modelKey } from '../../model/resource.js';
import type { BatchItem, Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { isLost, isRace } from '../apply/execute.js';
import { settledInOrder } from '../concurrent.js';
import type { Manifest } from '../input/manifests.js';
import { manifestOf, statedMetadata } from '../output/manifest.js';
import { removedPaths } from './removals.js';

export interface ImportOptions extends WriteOptions {
  /** Whether objects that are there already are left as they are. */
  readonly skipExisting: boolean;
  /** Whether what a manifest does not state stays as it is in objects that are there already. */
  readonly merge: boolean;
  /** Told before an object is written of the paths of what it loses. */
  readonly onRemoval: (manifest: Manifest, paths: readonly string[]) => void;
}

/** What became of a manifest. */
export type ImportOutcome =
  | {
      readonly manifest: Manifest;
      readonly verb: 'created' | 'configured' | 'unchanged' | 'skipped';
      readonly warnings: readonly string[];
    }
  | { readonly manifest: Manifest; readonly error: unknown };

/** What one manifest needs. */
interface ImportStep {
  readonly manifest: Manifest;
  readonly verb: 'created' | 'configured' | 'unchanged' | 'skipped';
  readonly item: ImportItem | undefined;
  /** Paths of what the object loses. */
  readonly removed: readonly string[];
}

type ImportItem = Extract<BatchItem, { verb: 'create' | 'update' }>;

/** What goes into one commit; a server reads 1 MiB at once unless it is told otherwise. */
const BATCH_ITEMS = 500;
const BATCH_BYTES = 700 * 1024;
/** Others may write at the same time; so often the comparison is made anew. */
const ATTEMPTS_MAX = 5;

/**
 * Creates what is not there and overwrites what is different, some hundred objects at a time, each lot in one
 * commit. When a lot is refused, its objects are written one by one, so that only those at fault are left out.
 * Status and finalizers that a manifest does not state stay as they are.
 * @throws ServiceError `ServiceUnavailable` when there is nobody to write to any more; what was told is written
 */
export async function* importAll(
  verbs: Verbs,
  manifests: AsyncIterable<Manifest>,
  options: ImportOptions,
): AsyncGenerator<readonly ImportOutcome[]> {
  for await (const lot of lotsOf(manifests)) yield await importLot(verbs, lot, options);
}

async function* lotsOf(manifests: AsyncIterable<Manifest>): AsyncGenerator<readonly Manifest[]> {
  let lot = new Map<string, Manifest>();
  let bytes = 0;
  for await (const manifest of manifests) {
    const { resource, name, value } = manifest;
    const key = `${modelKey(resource)} ${name}`;
    const size = Buffer.byteLength(JSON.stringify(value));
    // The later of two that state the same object is written after the first, as in the files.
    if (lot.size >= BATCH_ITEMS || (lot.size > 0 && bytes + size > BATCH_BYTES) || lot.has(key)) {
      yield [...lot.values()];
      lot = new Map();
      bytes = 0;
    }
    lot.set(key, manifest);
    bytes += size;
  }
  if (lot.size > 0) yield [...lot.values()];
}

async function importLot(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: ImportOptions,
): Promise<readonly ImportOutcome[]> {
  const steps = await plan(verbs, manifests, options);
  for (const { manifest, removed } of steps) if (removed.length > 0) options.onRemoval(manifest, removed);
  const items = steps.flatMap(({ item }) => item ?? []);
  try {
    const results = items.length === 0 ? [] : (await verbs.batch(items, options)).items;
    let next = 0;
    return steps.map((step) => outcomeOf(step, step.item === undefined ? undefined : results[next++]));
  } catch (error) {
    if (isLost(error)) throw error;
  }
  const outcomes: ImportOutcome[] = [];
  for await (const [{ manifest }, result] of settledInOrder(steps, (step) =>
    importOne(verbs, step, options),
  )) {
    if (result.status === 'fulfilled') outcomes.push(result.value);
    else if (isLost(result.reason)) throw result.reason;
    else outcomes.push({ manifest, error: result.reason });
  }
  return outcomes;
}

async function importOne(verbs: Verbs, planned: ImportStep, options: ImportOptions): Promise<ImportOutcome> {
  let step = planned;
  for (let attempt = 1; ; attempt += 1) {
    const { item } = step;
    try {
      return outcomeOf(step, item === undefined ? undefined : await write(verbs, item, options));
    } catch (error) {
      if (!isRace(error) || attempt >= ATTEMPTS_MAX) throw error;
      const [again] = await plan(verbs, [step.manifest], options);
      // Nobody wrote in between: it would fail once more.
      if (again === undefined || deepEqual(again.item, item)) throw error;
      step = again;
    }
  }
}

async function plan(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: ImportOptions,
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
  return manifests.map((manifest) => planOne(manifest, live.get(manifest), options));
}

function planOne(
  manifest: Manifest,
  live: ExtensionObject | undefined,
  { skipExisting, merge }: ImportOptions,
): ImportStep {
  const { resource, name } = manifest;
  const { metadata = {}, ...rest }: ObjectDraft = manifest.value;
  const stated = statedMetadata(metadata);
  if (live === undefined) {
    return {
      manifest,
      verb: 'created',
      item: { verb: 'create', resource, object: { ...rest, metadata: stated } },
      removed: [],
    };
  }
  if (skipExisting) return { manifest, verb: 'skipped', item: undefined, removed: [] };
  const { finalizers, resourceVersion } = live.metadata;
  const kept = finalizers === undefined || 'finalizers' in stated ? stated : { ...stated, finalizers };
  const own = { ...rest, metadata: kept };
  const wanted = merge ? (applyMergePatch(manifestOf(live), own) as typeof own) : own;
  if (isSame(wanted, live)) return { manifest, verb: 'unchanged', item: undefined, removed: [] };
  const { status: _, ...before } = manifestOf(live);
  const removed = removedPaths(before, wanted);
  const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
  return { manifest, verb: 'configured', item: { verb: 'update', resource, name, object }, removed };
}

/** Whether the object states all of it already; a status that is not stated does not count. */
function isSame(wanted: ObjectDraft, live: ExtensionObject): boolean {
  const { status, ...rest } = manifestOf(live);
  return deepEqual(wanted, 'status' in wanted && status !== undefined ? { ...rest, status } : rest);
}

function write(verbs: Verbs, item: ImportItem, options: ImportOptions): Promise<WriteResult> {
  const object = item.object as ObjectDraft;
  return item.verb === 'create'
    ? verbs.create(item.resource, object, options)
    : verbs.update(item.resource, item.name, object, options);
}

function outcomeOf({ manifest, verb }: ImportStep, result: WriteResult | undefined): ImportOutcome {
  if (result === undefined) return { manifest, verb, warnings: [] };
  return { manifest, verb: result.changed ? verb : 'unchanged', warnings: result.warnings };
}
