import { deepEqual } from '../../lib/json.js';
import { applyMergePatch } from '../../lib/merge-patch.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import { modelKey } from '../../model/resource.js';
import type { BatchItem, Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { settledInOrder } from '../concurrent.js';
import type { Manifest } from '../input/manifests.js';
import { manifestOf, statedMetadata } from '../output/manifest.js';
import { isLost, isRace } from '../results.js';
import { asItStands, broughtUp, dated, type BringingItem, type DatedManifest } from './last-migration.js';
import { removedPaths } from './removals.js';

export interface ImportOptions extends WriteOptions {
  /** Whether objects that are there already are left as they are. */
  readonly skipExisting: boolean;
  /** Whether what a manifest does not state stays as it is in objects that are there already. */
  readonly merge: boolean;
  /** Whether objects are in the shape of now. Else those that do not say so are older than all migrations. */
  readonly asIs: boolean;
  /** Told before an object is written of the paths of what it loses. */
  readonly onRemoval: (manifest: Manifest, paths: readonly string[]) => void;
}

/** What became of a manifest. */
export type ImportOutcome =
  | {
      readonly manifest: Manifest;
      readonly verb: 'created' | 'configured' | 'unchanged' | 'skipped';
      readonly warnings: readonly string[];
      /** Ids of the migrations that the manifest went through. */
      readonly migrations: readonly string[];
    }
  | { readonly manifest: Manifest; readonly error: unknown; readonly migrations: readonly string[] };

/** What one manifest needs. */
interface ImportStep {
  readonly manifest: Manifest;
  readonly verb: 'created' | 'configured' | 'unchanged' | 'skipped';
  readonly item: ImportItem | undefined;
  /** Paths of what the object loses. */
  readonly removed: readonly string[];
  /** Ids of the migrations that the manifest goes through. */
  readonly migrations: readonly string[];
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
  for await (const [{ manifest, migrations }, result] of settledInOrder(steps, (step) =>
    importOne(verbs, step, options),
  )) {
    if (result.status === 'fulfilled') outcomes.push(result.value);
    else if (isLost(result.reason)) throw result.reason;
    else outcomes.push({ manifest, error: result.reason, migrations });
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
  const stated = manifests.map((manifest) => ({
    manifest,
    live: live.get(manifest),
    dated: options.asIs ? asItStands(manifest) : dated(manifest, 'from before all'),
  }));
  const values = await compared(verbs, stated, options);
  return stated.map((one, i) => planOne({ ...one, value: values[i] }, options));
}

/** A manifest, and the object that is there. */
interface Stated {
  readonly manifest: Manifest;
  readonly live: ExtensionObject | undefined;
  readonly dated: DatedManifest;
}

/** Manifests in the shape of the objects that are there; undefined where the service would refuse to write them. */
async function compared(
  verbs: Verbs,
  stated: readonly Stated[],
  { skipExisting }: ImportOptions,
): Promise<readonly (ObjectDraft | undefined)[]> {
  const older = stated.flatMap(({ manifest, live, dated: { value, outstanding } }): BringingItem[] => {
    if (live === undefined || skipExisting || outstanding === undefined) return [];
    const { resource, name } = manifest;
    return [{ verb: 'update', resource, name, object: ownPart(value, live) }];
  });
  const brought = await broughtUp(verbs, older);
  let next = 0;
  return stated.map(({ live, dated: { value, outstanding } }) =>
    live === undefined || skipExisting || outstanding === undefined ? value : brought[next++],
  );
}

/** What a manifest states itself, and the finalizers that it does not speak of. */
function ownPart({ metadata = {}, ...rest }: ObjectDraft, live?: ExtensionObject): ObjectDraft {
  const stated = statedMetadata(metadata);
  const finalizers = live?.metadata.finalizers;
  const isKept = finalizers !== undefined && !('finalizers' in stated);
  return { ...rest, metadata: isKept ? { ...stated, finalizers } : stated };
}

function planOne(
  { manifest, live, dated, value }: Stated & { readonly value: ObjectDraft | undefined },
  { skipExisting, merge }: ImportOptions,
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
  const wanted: ObjectDraft = merge ? { ...(applyMergePatch(manifestOf(live), own) as object) } : own;
  if (isSame(wanted, live)) return { ...step, verb: 'unchanged', item: undefined };
  const { status: _, ...before } = manifestOf(live);
  const removed = removedPaths(before, wanted);
  const { resourceVersion } = live.metadata;
  const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
  return { ...step, verb: 'configured', item: { verb: 'update', resource, name, object }, removed };
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

function outcomeOf(
  { manifest, verb, migrations }: ImportStep,
  result: WriteResult | undefined,
): ImportOutcome {
  if (result === undefined) return { manifest, verb, warnings: [], migrations };
  return { manifest, verb: result.changed ? verb : 'unchanged', warnings: result.warnings, migrations };
}
