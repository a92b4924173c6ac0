import { deepEqual } from '../../lib/json/json.js';
import type { ObjectDraft } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { settledInOrder } from '../concurrent.js';
import type { Manifest } from '../input/manifests.js';
import { isLost, isRace, lacksTargets } from '../results.js';
import { plan, type ImportItem, type ImportStep, type PlanOptions } from './import-plan.js';
import { getKey, splitIntoLots, type LotLimits } from './lots.js';
import { bindOwners } from './owners.js';

export interface ImportOptions extends WriteOptions, PlanOptions {
  /** The served models. */
  readonly models: readonly Resource[];
  readonly lot: LotLimits;
  /** Told of an object that is written without some of its owners: they are not there. */
  readonly onOwnerless: (manifest: Manifest) => void;
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

/** What one commit takes. */
const TOGETHER_MAX = 10_000;
/** So many manifests wait in memory for owners that may come later; others are written without. */
const OWNERLESS_MAX = 100_000;
/** So often is looked whether those that wait can be written. */
const ROUNDS_MAX = 200;
/** Others may write at the same time; so often the comparison is made anew. */
const ATTEMPTS_MAX = 5;

/**
 * Creates what is not there and overwrites what is different, some hundred or thousand objects at a time, each lot in one
 * commit. When a lot is refused, its objects are written one by one, so that only those at fault are left out.
 * Status and finalizers that a manifest does not state stay as they are.
 * @throws ServiceError `ServiceUnavailable` when there is nobody to write to any more; what was told is written
 */
export async function* importAll(
  verbs: Verbs,
  manifests: AsyncIterable<Manifest>,
  options: ImportOptions,
): AsyncGenerator<readonly ImportOutcome[]> {
  const waiting: Waiting[] = [];
  const late = new Set<string>();
  for await (const lot of splitIntoLots(manifests, options.lot)) {
    const keys = lot.map(getKey);
    // What states an object once more comes after what stated it before.
    const isBehind = keys.some((key) => late.has(key));
    const waits = late.size > OWNERLESS_MAX ? targetsOnly : always;
    const { outcomes, left } = isBehind ? allLeft(lot) : await importLot(verbs, lot, { ...options, waits });
    yield outcomes;
    if (left === undefined) continue;
    waiting.push(left);
    for (const manifest of left.manifests) late.add(getKey(manifest));
  }
  yield* importWaiting(verbs, waiting, options);
}

/** Manifests of one lot that wait for objects of later ones. */
interface Waiting {
  readonly manifests: readonly Manifest[];
  /** Whether it was told already what their objects lose. */
  readonly isTold: boolean;
}

/**
 * Whether a manifest waits: for targets, without which it would be refused, or for owners, without which it would be
 * written and have none.
 * @param owners keys of those that are not there; undefined: of targets
 */
type Waits = (owners?: readonly string[]) => boolean;

const always: Waits = () => true;
const never: Waits = () => false;
const targetsOnly: Waits = (owners) => owners === undefined;

/** What became of a lot, and what is left of it for later. */
interface LotDone {
  readonly outcomes: readonly ImportOutcome[];
  readonly left: Waiting | undefined;
}

function allLeft(manifests: readonly Manifest[], isTold = false): LotDone {
  return { outcomes: [], left: { manifests, isTold } };
}

/** Those that wait: again and again while some can be written, then all together. */
async function* importWaiting(
  verbs: Verbs,
  waiting: readonly Waiting[],
  options: ImportOptions,
): AsyncGenerator<readonly ImportOutcome[]> {
  let left = waiting;
  let before = Infinity;
  for (let round = 0; round < ROUNDS_MAX && left.length > 0 && getCount(left) < before; round++) {
    before = getCount(left);
    const still: Waiting[] = [];
    const keys = new Set(left.flatMap(({ manifests }) => manifests.map(getKey)));
    // Nobody else will come any more.
    const waits: Waits = (owners) => owners?.some((key) => keys.has(key)) ?? true;
    const late = new Set<string>();
    for (const lot of left) {
      const isBehind = lot.manifests.some((manifest) => late.has(getKey(manifest)));
      const done = isBehind
        ? allLeft(lot.manifests)
        : await importLot(verbs, lot.manifests, { ...toldOnce(options, lot), waits });
      yield done.outcomes;
      const isLeft = new Set(done.left?.manifests);
      for (const manifest of lot.manifests) if (!isLeft.has(manifest)) keys.delete(getKey(manifest));
      for (const manifest of isLeft) late.add(getKey(manifest));
      if (done.left !== undefined) still.push({ ...done.left, isTold: done.left.isTold || lot.isTold });
    }
    left = still;
  }
  const all = {
    manifests: left.flatMap(({ manifests }) => manifests),
    isTold: left.every(({ isTold }) => isTold),
  };
  const lots = all.manifests.length > TOGETHER_MAX ? left : [all];
  for (const lot of lots) {
    if (lot.manifests.length === 0) continue;
    yield (await importLot(verbs, lot.manifests, { ...toldOnce(options, lot), waits: never })).outcomes;
  }
}

function getCount(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { manifests }) => sum + manifests.length, 0);
}

function toldOnce(options: ImportOptions, { isTold }: Waiting): ImportOptions {
  return isTold ? { ...options, onRemoval: () => undefined } : options;
}

async function importLot(
  verbs: Verbs,
  stated: readonly Manifest[],
  options: ImportOptions & { readonly waits: Waits },
): Promise<LotDone> {
  const bound = await bindOwners(verbs, options.models, stated);
  const late = stated.filter((manifest) => {
    const owners = bound.missing.get(manifest);
    return owners !== undefined && options.waits(owners);
  });
  const left = late.length === 0 ? undefined : { manifests: late, isTold: false };
  const isLate = new Set<Manifest | undefined>(late);
  const manifests = bound.manifests.filter((_, i) => !isLate.has(stated[i]));
  const tellOwnerless = (): void => {
    for (const manifest of bound.missing.keys()) if (!isLate.has(manifest)) options.onOwnerless(manifest);
  };
  const steps = await plan(verbs, manifests, options);
  for (const { manifest, removed } of steps) if (removed.length > 0) options.onRemoval(manifest, removed);
  const items = steps.flatMap(({ item }) => item ?? []);
  try {
    const results = items.length === 0 ? [] : (await verbs.batch(items, options)).items;
    let next = 0;
    tellOwnerless();
    return {
      outcomes: steps.map((step) => getOutcome(step, step.item === undefined ? undefined : results[next++])),
      left,
    };
  } catch (error) {
    if (isLost(error)) throw error;
    if (options.waits() && lacksTargets(error)) return allLeft(stated, left === undefined);
  }
  tellOwnerless();
  const outcomes: ImportOutcome[] = [];
  for await (const [{ manifest, migrations }, result] of settledInOrder(steps, (step) =>
    importOne(verbs, step, options),
  )) {
    if (result.status === 'fulfilled') outcomes.push(result.value);
    else if (isLost(result.reason)) throw result.reason;
    else outcomes.push({ manifest, error: result.reason, migrations });
  }
  return { outcomes, left };
}

async function importOne(verbs: Verbs, planned: ImportStep, options: ImportOptions): Promise<ImportOutcome> {
  let step = planned;
  for (let attempt = 1; ; attempt += 1) {
    const { item } = step;
    try {
      return getOutcome(step, item === undefined ? undefined : await write(verbs, item, options));
    } catch (error) {
      if (!isRace(error) || attempt >= ATTEMPTS_MAX) throw error;
      const [again] = await plan(verbs, [step.manifest], options);
      // Nobody wrote in between: it would fail once more.
      if (again === undefined || deepEqual(again.item, item)) throw error;
      step = again;
    }
  }
}

function write(verbs: Verbs, item: ImportItem, options: ImportOptions): Promise<WriteResult> {
  const object = item.object as ObjectDraft;
  return item.verb === 'create'
    ? verbs.create(item.resource, object, options)
    : verbs.update(item.resource, item.name, object, options);
}

function getOutcome(
  { manifest, verb, migrations }: ImportStep,
  result: WriteResult | undefined,
): ImportOutcome {
  if (result === undefined) return { manifest, verb, warnings: [], migrations };
  return { manifest, verb: result.changed ? verb : 'unchanged', warnings: result.warnings, migrations };
}
