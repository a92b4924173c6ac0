import { deepEqual } from '../../lib/json/json.js';
import { isRace, retryOnConflict } from '../../lib/work/retry.js';
import type { Resource } from '../../model/resource.js';
import type { Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { settledInOrder } from '../concurrent.js';
import type { Manifest } from '../input/manifests.js';
import { isLost, lacksNamespace, lacksTargets } from '../results.js';
import { writeItem } from '../write-item.js';
import { plan, type ImportStep, type ImportPlanOptions } from './import-plan.js';
import { getKey, splitIntoLots, type LotLimits } from './lots.js';
import { bindOwners } from './owners.js';

export interface ImportOptions extends WriteOptions, ImportPlanOptions {
  /** The models of all manifests that were read. */
  readonly models: () => readonly Resource[];
  readonly lot: LotLimits;
  /** The number of errors after which no object is written. */
  readonly getErrorsLeft: () => number;
  /** Called for an object that is written without some of its owners, because they do not exist. */
  readonly onOwnerless: (manifest: Manifest) => void;
  /** Called before an object is written, with the paths that are removed. */
  readonly onRemoval: (manifest: Manifest, paths: readonly string[]) => void;
}

export type ImportOutcome =
  | {
      readonly manifest: Manifest;
      readonly verb: 'created' | 'configured' | 'unchanged' | 'skipped';
      readonly warnings: readonly string[];
      /** Ids of the migrations that were applied to the manifest. */
      readonly migrations: readonly string[];
    }
  | { readonly manifest: Manifest; readonly error: unknown; readonly migrations: readonly string[] };

/** The limit of one commit. */
const TOGETHER_MAX = 10_000;
/** The limit of manifests in memory that wait for later owners; others are written without them. */
const OWNERLESS_MAX = 100_000;
/** The limit of checks if waiting manifests can be written. */
const ROUNDS_MAX = 200;

/**
 * Creates missing objects and overwrites different ones, some hundred or thousand at a time, each lot in one commit. When a lot is
 * refused, its objects are written one by one, so that only the wrong ones are left out. Status and finalizers that a manifest does
 * not state are unchanged.
 * @throws ServiceError `ServiceUnavailable` when the service is gone; reported objects are written
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
    // A second manifest of an object follows the first.
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

/** Manifests of one lot that wait for objects of later lots. */
interface Waiting {
  readonly manifests: readonly Manifest[];
  /** True when the removals in their objects were reported already. */
  readonly isReported: boolean;
}

/**
 * True when a manifest waits: for targets or its namespace, without which it would be refused, or for owners, without which it would be written
 * without an owner.
 * @param owners keys of missing owners; undefined: for what it would be refused without
 */
type Waits = (owners?: readonly string[]) => boolean;

const always: Waits = () => true;
const never: Waits = () => false;
const targetsOnly: Waits = (owners) => owners === undefined;

/** The results of a lot, and its waiting manifests. */
interface LotDone {
  readonly outcomes: readonly ImportOutcome[];
  readonly left: Waiting | undefined;
}

function allLeft(manifests: readonly Manifest[], isReported = false): LotDone {
  return { outcomes: [], left: { manifests, isReported } };
}

/** Writes the waiting manifests: repeatedly while some can be written, then all together. */
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
    // No more manifests follow.
    const waits: Waits = (owners) => owners?.some((key) => keys.has(key)) ?? true;
    const late = new Set<string>();
    for (const lot of left) {
      const isBehind = lot.manifests.some((manifest) => late.has(getKey(manifest)));
      const done = isBehind
        ? allLeft(lot.manifests)
        : await importLot(verbs, lot.manifests, { ...reportedOnce(options, lot), waits });
      yield done.outcomes;
      const isLeft = new Set(done.left?.manifests);
      for (const manifest of lot.manifests) if (!isLeft.has(manifest)) keys.delete(getKey(manifest));
      for (const manifest of isLeft) late.add(getKey(manifest));
      if (done.left !== undefined)
        still.push({ ...done.left, isReported: done.left.isReported || lot.isReported });
    }
    left = still;
  }
  const all = {
    manifests: left.flatMap(({ manifests }) => manifests),
    isReported: left.every(({ isReported }) => isReported),
  };
  const lots = all.manifests.length > TOGETHER_MAX ? left : [all];
  for (const lot of lots) {
    if (lot.manifests.length === 0) continue;
    yield (await importLot(verbs, lot.manifests, { ...reportedOnce(options, lot), waits: never })).outcomes;
  }
}

function getCount(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { manifests }) => sum + manifests.length, 0);
}

function reportedOnce(options: ImportOptions, { isReported }: Waiting): ImportOptions {
  return isReported ? { ...options, onRemoval: () => undefined } : options;
}

async function importLot(
  verbs: Verbs,
  stated: readonly Manifest[],
  options: ImportOptions & { readonly waits: Waits },
): Promise<LotDone> {
  const bound = await bindOwners(verbs, options.models(), stated);
  const late = stated.filter((manifest) => {
    const owners = bound.missing.get(manifest);
    return owners !== undefined && options.waits(owners);
  });
  const left = late.length === 0 ? undefined : { manifests: late, isReported: false };
  const isLate = new Set<Manifest | undefined>(late);
  const manifests = bound.manifests.filter((_, i) => !isLate.has(stated[i]));
  const reportOwnerless = (): void => {
    for (const manifest of bound.missing.keys()) if (!isLate.has(manifest)) options.onOwnerless(manifest);
  };
  const steps = await plan(verbs, manifests, options);
  for (const { manifest, removed } of steps) if (removed.length > 0) options.onRemoval(manifest, removed);
  const items = steps.flatMap(({ item }) => item ?? []);
  try {
    const results = items.length === 0 ? [] : (await verbs.batch(items, options)).items;
    let next = 0;
    reportOwnerless();
    return {
      outcomes: steps.map((step) => getOutcome(step, step.item === undefined ? undefined : results[next++])),
      left,
    };
  } catch (error) {
    if (isLost(error)) throw error;
    if (options.waits() && (lacksTargets(error) || lacksNamespace(error)))
      return allLeft(stated, left === undefined);
  }
  reportOwnerless();
  const outcomes: ImportOutcome[] = [];
  let failed = 0;
  const write = (step: ImportStep): Promise<ImportOutcome> => importOne(verbs, step, options);
  // No more run together than may fail, so that none is written after the last permitted error.
  const getRoom = (): number => options.getErrorsLeft() - failed;
  for await (const [{ manifest, migrations }, result] of settledInOrder(steps, write, getRoom)) {
    if (result.status === 'fulfilled') outcomes.push(result.value);
    else if (isLost(result.reason)) throw result.reason;
    else {
      failed++;
      outcomes.push({ manifest, error: result.reason, migrations });
    }
  }
  return { outcomes, left };
}

async function importOne(verbs: Verbs, planned: ImportStep, options: ImportOptions): Promise<ImportOutcome> {
  let step = planned;
  const attempt = async (): Promise<ImportOutcome> =>
    getOutcome(step, step.item === undefined ? undefined : await writeItem(verbs, step.item, options));
  return retryOnConflict(attempt, async (error) => {
    const [again] = isRace(error) ? await plan(verbs, [step.manifest], options) : [];
    // No other writer was active: it would fail again.
    if (again === undefined || deepEqual(again.item, step.item)) return false;
    step = again;
    return true;
  });
}

function getOutcome(
  { manifest, verb, migrations }: ImportStep,
  result: WriteResult | undefined,
): ImportOutcome {
  if (result === undefined) return { manifest, verb, warnings: [], migrations };
  return { manifest, verb: result.changed ? verb : 'unchanged', warnings: result.warnings, migrations };
}
