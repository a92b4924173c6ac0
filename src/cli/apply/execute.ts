import { ServiceError } from '../../errors.js';
import type { BatchItem, Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import type { Manifest } from '../input/manifests.js';
import { failedItem } from '../results.js';
import { planApply, statesLock, type Step } from './plan.js';

/** What became of a manifest. */
export type Outcome =
  | {
      readonly manifest: Manifest;
      readonly verb: 'created' | 'configured' | 'unchanged';
      readonly warnings: readonly string[];
    }
  | { readonly manifest: Manifest; readonly error: unknown };

/** Others may write at the same time; so often the comparison is made anew. */
const ATTEMPTS_MAX = 5;
/** What is sent in one request when each object stands for itself. */
const CHUNK_ITEMS = 500;
const CHUNK_CHARACTERS = 512 * 1024;

/**
 * Applies all manifests in one commit, or none. When the commit is refused, each is tried alone without storing
 * anything, so that every failure is told and not only the first.
 */
export async function applyAtOnce(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: WriteOptions,
): Promise<Outcome[]> {
  let before: readonly Step[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const steps = await planApply(verbs, manifests);
    try {
      return await commit(verbs, steps, options);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isWorthAnother = isRace(error) && attempt < ATTEMPTS_MAX && !isSamePlan(before, steps);
      if (isWorthAnother) before = steps;
      else return failuresOf(verbs, steps, error, options);
    }
  }
}

/**
 * Applies each manifest for itself, in order, and goes on after a failure. Many go in one request when nothing
 * is wrong with them.
 * @throws ServiceError `ServiceUnavailable` when there is nobody to write to any more
 */
export async function* applyEach(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: WriteOptions,
): AsyncGenerator<Outcome> {
  for (const chunk of chunksOf(manifests)) {
    const steps = await planApply(verbs, chunk);
    let outcomes: readonly Outcome[];
    try {
      outcomes = await commit(verbs, steps, options);
    } catch (error) {
      if (isLost(error)) throw error;
      yield* oneByOne(verbs, steps, options);
      continue;
    }
    yield* outcomes;
  }
}

async function commit(verbs: Verbs, steps: readonly Step[], options: WriteOptions): Promise<Outcome[]> {
  const items = steps.flatMap(({ item }) => item ?? []);
  const results = items.length === 0 ? [] : (await verbs.batch(items, options)).items;
  let next = 0;
  return steps.map((step) => outcomeOf(step, step.item === undefined ? undefined : results[next++]));
}

async function* oneByOne(
  verbs: Verbs,
  steps: readonly Step[],
  options: WriteOptions,
): AsyncGenerator<Outcome> {
  for (const step of steps) yield await applyOne(verbs, step, options);
}

async function applyOne(verbs: Verbs, planned: Step, options: WriteOptions): Promise<Outcome> {
  const { manifest } = planned;
  let step = planned;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return outcomeOf(step, step.item === undefined ? undefined : await write(verbs, step.item, options));
    } catch (error) {
      if (isLost(error)) throw error;
      const isWorthAnother = isRace(error) && attempt < ATTEMPTS_MAX && !statesLock(manifest);
      const [again] = isWorthAnother ? await planApply(verbs, [manifest]) : [];
      if (again === undefined || isSamePlan([step], [again])) return { manifest, error };
      step = again;
    }
  }
}

/** Every failure that the steps have on their own; when they only fail together, the one of the commit. */
async function failuresOf(
  verbs: Verbs,
  steps: readonly Step[],
  error: ServiceError,
  options: WriteOptions,
): Promise<Outcome[]> {
  if (isLost(error)) throw error;
  const position = failedItem(error);
  // Not about one of the objects: trying each would say nothing more.
  if (position === undefined) throw error;
  const failures: Outcome[] = [];
  for (const { manifest, item } of steps) {
    if (item === undefined) continue;
    try {
      await write(verbs, item, { ...options, dryRun: true });
    } catch (own) {
      if (isLost(own)) throw own;
      failures.push({ manifest, error: own });
    }
  }
  const culprit = steps.filter(({ item }) => item !== undefined)[position];
  if (failures.length > 0 || culprit === undefined) return failures;
  return [{ manifest: culprit.manifest, error }];
}

function write(verbs: Verbs, item: BatchItem, options: WriteOptions): Promise<WriteResult> {
  switch (item.verb) {
    case 'create':
      return verbs.create(item.resource, asDraft(item.object), options);
    case 'update':
      return verbs.update(item.resource, item.name, asDraft(item.object), options);
    case 'patch':
      return verbs.patch(item.resource, item.name, item.patch, item.type, options);
    case 'delete':
      return verbs.delete(item.resource, item.name, options);
  }
}

function asDraft(object: unknown): Record<string, unknown> {
  return typeof object === 'object' && object !== null ? { ...object } : {};
}

function outcomeOf({ manifest, item, base }: Step, result: WriteResult | undefined): Outcome {
  const warnings = result?.warnings ?? [];
  if (item === undefined || result?.changed === false) return { manifest, verb: 'unchanged', warnings };
  return { manifest, verb: base === undefined ? 'created' : 'configured', warnings };
}

/** Somebody else wrote in between; a unique value that is taken stays taken. */
function isRace(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'Conflict' || error.code === 'AlreadyExists');
}

/** Nobody answers. A model that is not ready yet says when it will be, and only it is concerned. */
function isLost(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return true;
  return error.code === 'ServiceUnavailable' && error.details.retryAfterSeconds === undefined;
}

/** Planned on the same states: what failed once would fail again. */
function isSamePlan(before: readonly Step[], now: readonly Step[]): boolean {
  return before.length === now.length && before.every(({ base }, i) => base === now[i]?.base);
}

function* chunksOf(manifests: readonly Manifest[]): Generator<readonly Manifest[]> {
  let chunk: Manifest[] = [];
  let characters = 0;
  for (const manifest of manifests) {
    const length = JSON.stringify(manifest.value).length;
    // What is sent states the object twice: itself, and in its annotation.
    if (chunk.length > 0 && (chunk.length >= CHUNK_ITEMS || characters + 2 * length > CHUNK_CHARACTERS)) {
      yield chunk;
      [chunk, characters] = [[], 0];
    }
    chunk.push(manifest);
    characters += 2 * length;
  }
  if (chunk.length > 0) yield chunk;
}
