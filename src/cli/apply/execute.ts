import { getMessage, hasCode, ServiceError } from '../../errors.js';
import { formatSize } from '../../lib/time/duration.js';
import { isRace, retryOnConflict } from '../../lib/work/retry.js';
import type { ExtensionObject } from '../../model/object.js';
import { BATCH_BYTES_MAX, BATCH_ITEMS_MAX } from '../../service/batch-items.js';
import type { BatchItem, Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { settledInOrder } from '../concurrent.js';
import type { Manifest } from '../input/manifests.js';
import { UsageError } from '../exit.js';
import { failedItem, isLost, lacksTargets } from '../results.js';
import type { Target } from '../targets.js';
import { writeItem } from '../write-item.js';
import { planApply, statesLock, type ApplyStep } from './plan.js';

/** A manifest that was written, or that needed no write. */
export interface Applied {
  readonly manifest: Manifest;
  readonly verb: 'created' | 'configured' | 'unchanged';
  readonly warnings: readonly string[];
  /** The object before the write; undefined when it did not exist. */
  readonly live: ExtensionObject | undefined;
  /** The object after the write. */
  readonly object: ExtensionObject;
}

/** An object that was deleted because no manifest states it any more; its last state. */
export interface Pruned {
  readonly target: Target;
  readonly verb: 'pruned';
  readonly object: ExtensionObject;
}

/** The result for a manifest, or for an object to be pruned. */
export type ApplyOutcome =
  | Applied
  | Pruned
  | { readonly manifest: Manifest; readonly error: unknown }
  | { readonly target: Target; readonly error: unknown };

/** Finds the objects to be deleted by an apply; called again for each attempt. */
export type FindTargets = () => Promise<readonly Target[]>;

/** The limits of one request when each object is written separately. */
const CHUNK_ITEMS = 500;
const CHUNK_CHARACTERS = 512 * 1024;
/** Copies of a manifest in an applied object: its fields, and the annotation. */
const COPIES = 2;

/** The parts of one commit. */
interface ApplyPlan {
  readonly steps: readonly ApplyStep[];
  readonly prunes: readonly Target[];
}

/**
 * Applies all manifests and prunes in one commit, or does nothing. When the commit is refused, each part is tried alone without
 * storing it, so that all failures are reported and not only the first.
 * @throws UsageError for more objects or bytes than one commit may have; ServiceError for an error of no single object
 */
export async function applyAtOnce(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: WriteOptions,
  findPrunes: FindTargets = () => Promise.resolve([]),
): Promise<ApplyOutcome[]> {
  const makePlan = async (): Promise<ApplyPlan> => {
    const steps = await planApply(verbs, manifests);
    const prunes = await findPrunes();
    checkCommit(manifests, prunes.length);
    return { steps, prunes };
  };
  let before: ApplyPlan = { steps: [], prunes: [] };
  let plan = await makePlan();
  const mayRetry = async (error: unknown): Promise<boolean> => {
    if (!isRace(error) || isSamePlan(before, plan)) return false;
    [before, plan] = [plan, await makePlan()];
    return true;
  };
  try {
    const commitOptions = { ...options, bytesMax: BATCH_BYTES_MAX };
    return await retryOnConflict(() => commit(verbs, plan, commitOptions), mayRetry);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return getFailures(verbs, plan, error, options);
  }
}

/**
 * @param prunes the number of objects to be deleted
 * @throws UsageError for more objects, or bytes, than one commit may have
 */
export function checkCommit(manifests: readonly Manifest[], prunes = 0): void {
  const count = manifests.length + prunes;
  if (count > BATCH_ITEMS_MAX) throw tooMuch(`it may have at most ${BATCH_ITEMS_MAX} objects, got ${count}`);
  let bytes = 0;
  for (const { value } of manifests) bytes += COPIES * Buffer.byteLength(JSON.stringify(value));
  if (bytes > BATCH_BYTES_MAX)
    throw tooMuch(`its objects take more than ${formatSize(BATCH_BYTES_MAX)} together`);
}

function tooMuch(reason: string, cause?: unknown): UsageError {
  return new UsageError(
    `too much for one commit: ${reason}; write the objects one by one (--no-atomic), or in parts`,
    { cause },
  );
}

/**
 * Applies each manifest separately, in order, and continues after a failure. Many are sent in one request while none fails.
 * @throws ServiceError `ServiceUnavailable` when the service is gone
 */
export async function* applyEach(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: WriteOptions,
): AsyncGenerator<ApplyOutcome> {
  for (const chunk of iterateChunks(manifests)) {
    const steps = await planApply(verbs, chunk);
    let outcomes: readonly ApplyOutcome[];
    try {
      outcomes = await commit(verbs, { steps, prunes: [] }, options);
    } catch (error) {
      if (isLost(error)) throw error;
      yield* oneByOne(verbs, steps, options);
      continue;
    }
    yield* outcomes;
  }
}

/** Deletes each object separately. One that is already deleted is skipped. */
export async function* pruneEach(
  verbs: Verbs,
  targets: readonly Target[],
  options: WriteOptions,
): AsyncGenerator<ApplyOutcome> {
  const results = settledInOrder(targets, ({ resource, name }) => verbs.delete(resource, name, options));
  for await (const [target, result] of results) {
    if (result.status === 'fulfilled') yield { target, verb: 'pruned', object: result.value.object };
    else if (!hasCode(result.reason, 'NotFound')) yield { target, error: result.reason };
  }
}

/** Prunes are first: they may free something that a manifest needs, such as a unique value. */
async function commit(
  verbs: Verbs,
  { steps, prunes }: ApplyPlan,
  options: WriteOptions,
): Promise<ApplyOutcome[]> {
  const items = getItems({ steps, prunes });
  const results = items.length === 0 ? [] : (await verbs.batch(items, options)).items;
  let next = prunes.length;
  const applied = steps.map((step) =>
    getOutcome(step, step.item === undefined ? undefined : results[next++]),
  );
  const pruned = prunes.flatMap((target, i): ApplyOutcome[] => {
    const object = results[i]?.object;
    return object === undefined ? [] : [{ target, verb: 'pruned', object }];
  });
  return [...applied, ...pruned];
}

function getItems({ steps, prunes }: ApplyPlan): BatchItem[] {
  return [...prunes.map(getDeletion), ...steps.flatMap(({ item }) => item ?? [])];
}

function getDeletion({ resource, name }: Target): BatchItem {
  return { verb: 'delete', resource, name };
}

async function* oneByOne(
  verbs: Verbs,
  steps: readonly ApplyStep[],
  options: WriteOptions,
): AsyncGenerator<ApplyOutcome> {
  let left = steps;
  let before = Infinity;
  while (left.length > 0) {
    const isLast = left.length === before;
    before = left.length;
    const waiting: ApplyStep[] = [];
    for (const step of left) {
      const outcome = await applyOne(verbs, step, options);
      // A later manifest may state the target.
      if (!isLast && 'error' in outcome && lacksTargets(outcome.error)) waiting.push(step);
      else yield outcome;
    }
    left = waiting;
  }
}

async function applyOne(verbs: Verbs, planned: ApplyStep, options: WriteOptions): Promise<ApplyOutcome> {
  const { manifest } = planned;
  let step = planned;
  const attempt = async (): Promise<ApplyOutcome> =>
    getOutcome(step, step.item === undefined ? undefined : await writeItem(verbs, step.item, options));
  const mayRetry = async (error: unknown): Promise<boolean> => {
    const [again] = isRace(error) && !statesLock(manifest) ? await planApply(verbs, [manifest]) : [];
    if (again === undefined || isSameSteps([step], [again])) return false;
    step = again;
    return true;
  };
  try {
    return await retryOnConflict(attempt, mayRetry);
  } catch (error) {
    if (isLost(error)) throw error;
    return { manifest, error };
  }
}

/** All failures of the parts on their own; the failure of the commit when they only fail together. */
async function getFailures(
  verbs: Verbs,
  plan: ApplyPlan,
  error: ServiceError,
  options: WriteOptions,
): Promise<ApplyOutcome[]> {
  if (isLost(error)) throw error;
  const position = failedItem(error);
  // The error concerns no single object: trying each would give no more information.
  if (position === undefined)
    throw error.code === 'RequestEntityTooLarge' ? tooMuch(getMessage(error), error) : error;
  const written = plan.steps.filter(({ item }) => item !== undefined);
  // Alone, more steps lack their targets.
  const failures = lacksTargets(error)
    ? []
    : (await failuresIn(verbs, written, { ...options, dryRun: true })).filter(
        (outcome) => !('error' in outcome && lacksTargets(outcome.error)),
      );
  if (failures.length > 0) return failures;
  const target = plan.prunes[position];
  if (target !== undefined) return [{ target, error }];
  const culprit = written[position - plan.prunes.length];
  return culprit === undefined ? [] : [{ manifest: culprit.manifest, error }];
}

/** Finds the steps that fail on their own by bisection, because few of many fail. */
async function failuresIn(
  verbs: Verbs,
  steps: readonly ApplyStep[],
  options: WriteOptions,
): Promise<ApplyOutcome[]> {
  const items = steps.flatMap(({ item }) => item ?? []);
  const [first] = steps;
  const [only] = items;
  if (first === undefined || only === undefined) return [];
  try {
    if (items.length === 1) await writeItem(verbs, only, options);
    else await verbs.batch(items, options);
    return [];
  } catch (error) {
    if (isLost(error)) throw error;
    if (items.length === 1) return [{ manifest: first.manifest, error }];
  }
  const half = Math.ceil(steps.length / 2);
  const before = await failuresIn(verbs, steps.slice(0, half), options);
  return [...before, ...(await failuresIn(verbs, steps.slice(half), options))];
}

function getOutcome(
  { manifest, item, base, live }: ApplyStep,
  result: WriteResult | undefined,
): ApplyOutcome {
  const warnings = result?.warnings ?? [];
  const object = result?.object ?? live;
  if (object === undefined)
    return { manifest, error: new ServiceError('InternalError', 'a write was not answered') };
  if (item === undefined || result?.changed === false)
    return { manifest, verb: 'unchanged', warnings, live, object };
  return { manifest, verb: base === undefined ? 'created' : 'configured', warnings, live, object };
}

/** True for plans on the same states: a repeated failure is certain. */
function isSamePlan(before: ApplyPlan, now: ApplyPlan): boolean {
  const names = ({ prunes }: ApplyPlan): string =>
    prunes.map(({ resource, name }) => `${resource.plural}/${name}`).join();
  return isSameSteps(before.steps, now.steps) && names(before) === names(now);
}

function isSameSteps(before: readonly ApplyStep[], now: readonly ApplyStep[]): boolean {
  return before.length === now.length && before.every(({ base }, i) => base === now[i]?.base);
}

function* iterateChunks(manifests: readonly Manifest[]): Generator<readonly Manifest[]> {
  let chunk: Manifest[] = [];
  let characters = 0;
  for (const manifest of manifests) {
    const length = JSON.stringify(manifest.value).length;
    if (
      chunk.length > 0 &&
      (chunk.length >= CHUNK_ITEMS || characters + COPIES * length > CHUNK_CHARACTERS)
    ) {
      yield chunk;
      [chunk, characters] = [[], 0];
    }
    chunk.push(manifest);
    characters += COPIES * length;
  }
  if (chunk.length > 0) yield chunk;
}
