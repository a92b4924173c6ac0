import { listCauses, getMessage, ServiceError } from '../../errors.js';
import { deepEqual } from '../../lib/json/json.js';
import { TimedWork } from '../../lib/time/time-limit.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import type { Migration } from '../../model/evolve/conversion.js';
import { BUILT_IN_INDEX_NAMES } from '../../model/declare/index-spec.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Scheme } from '../../model/declare/scheme.js';
import type { Engine, KeyRange, KeyValue } from '../engine.js';
import { afterKey, idInKey, objectKey, objectsAfter } from '../index/keys.js';
import { isSound, jsonIn, nameForPeople } from '../object-record.js';
import { inStorageVersion } from '../stored-version.js';

/** An object as the loaded code reads it. */
export interface Reviewed {
  /** In the storage version, migrated, with the defaults of its schema; undefined when it cannot be converted. */
  readonly object: ExtensionObject | undefined;
  /** True when the migrations changed it. */
  readonly isMigrated: boolean;
  /** The reason why it does not match; undefined when it matches. */
  readonly problem: string | undefined;
}

/** Converts, migrates and checks a stored object. The plugin's code determines the time. */
export function reviewObject(scheme: Scheme, migrations: readonly Migration[], json: Uint8Array): Reviewed {
  let before: ExtensionObject;
  let object: ExtensionObject;
  try {
    before = inStorageVersion(scheme, json);
    object = migrations.reduce((present, migration) => migration.up(present), before);
  } catch (error) {
    return unconvertible(getMessage(error));
  }
  const isMigrated = migrations.length > 0 && !deepEqual(before, object);
  const { causes } = scheme.validate(object, undefined, { isStored: true });
  const problem = causes.length > 0 ? listCauses(causes) : indexProblem(scheme, object);
  return { object, isMigrated, problem };
}

/** Built-in indexes read only metadata, which was checked. */
function indexProblem({ indexes }: Scheme, object: ExtensionObject): string | undefined {
  for (const index of indexes) {
    if (BUILT_IN_INDEX_NAMES.has(index.name)) continue;
    try {
      index.values(object);
    } catch (error) {
      if (error instanceof ServiceError) return listCauses(error.details.causes ?? []) || error.message;
      throw error;
    }
  }
  return undefined;
}

/** A stored object with its review. */
export interface ReviewedRecord extends RecordOf {
  readonly name: string;
  readonly reviewed: Reviewed;
}

/** An object that does not match the declaration of its model. */
export interface InvalidObject {
  readonly name: string;
  readonly problem: string;
}

export interface ObjectScan {
  readonly objects: number;
  readonly unfit: number;
}

export interface ReviewOptions {
  readonly migrations?: readonly Migration[];
  /** Only objects with a larger id. */
  readonly after?: number;
  /** Only objects with ids up to this one. */
  readonly until?: number;
  /** Called with each object that does not match. */
  readonly onMisfit?: (misfit: InvalidObject) => void;
  /** Called with each object. An error from it ends the review. */
  readonly onReviewed?: (reviewed: ReviewedRecord) => void;
  /** Called with the objects of each batch, and awaited. */
  readonly onBatch?: (some: readonly ReviewedRecord[]) => Promise<void>;
  /** Called with the number of reviewed objects. */
  readonly progress?: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
  /** Ends the review early with an error, and counts the objects. Default: no limits. */
  readonly work?: Work | undefined;
  /** Objects reviewed without a break. Larger batches are faster, and block other work of the process. Default 50. */
  readonly batch?: number;
}

/** Objects that are read at a time. */
const BATCH = 100;
/** Objects reviewed without a break. Other requests are answered in between. */
const OBJECTS_AT_ONCE = 50;

/**
 * Reviews all objects of a model, in the order of their ids, without writing. Other work runs in between, and only
 * one batch is in memory. Writes in the meantime may be included or not.
 */
export async function reviewObjects(
  engine: Engine,
  modelId: number,
  scheme: Scheme,
  {
    migrations = [],
    after = 0,
    until,
    signal,
    work: limits,
    batch = OBJECTS_AT_ONCE,
    ...callbacks
  }: ReviewOptions = {},
): Promise<ObjectScan> {
  let objects = 0;
  let unfit = 0;
  const work = new TimedWork();
  const breaks = new Yielder();
  const all = objectsAfter(modelId, after);
  const range = until === undefined ? all : { ...all, end: objectKey(modelId, until + 1) };
  for await (const records of iterateBatches(engine, range, Math.max(batch, BATCH))) {
    for (let at = 0; at < records.length; at += batch) {
      if (signal?.aborted === true) return { objects, unfit };
      const some = records.slice(at, at + batch);
      limits?.addEntries(some.length);
      const reviews = reviewSome(scheme, migrations, some, work);
      for (const { id, name, record, reviewed } of reviews) {
        objects++;
        callbacks.onReviewed?.({ id, name, record, reviewed });
        if (reviewed.problem === undefined) continue;
        unfit++;
        callbacks.onMisfit?.({ name, problem: reviewed.problem });
      }
      await callbacks.onBatch?.(reviews);
      if (breaks.isDue) await breaks.take();
    }
    callbacks.progress?.(objects);
  }
  return { objects, unfit };
}

/** A stored object by its id. */
export interface RecordOf {
  readonly id: number;
  readonly record: Buffer;
}

/** Records of a range of objects. Each batch has its own snapshot. */
export async function* iterateBatches(
  engine: Engine,
  range: KeyRange,
  limit = BATCH,
): AsyncGenerator<readonly RecordOf[]> {
  for (let rest = range; ;) {
    const pairs = await scanOnce(engine, rest, limit);
    if (pairs.length > 0) yield pairs.map(({ key, value }) => ({ id: idInKey(key), record: value }));
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    rest = afterKey(rest, last.key);
  }
}

async function scanOnce(engine: Engine, range: KeyRange, limit: number): Promise<readonly KeyValue[]> {
  const snapshot = engine.snapshot();
  try {
    return await snapshot.scan(range, { limit });
  } finally {
    snapshot.close();
  }
}

function reviewSome(
  scheme: Scheme,
  migrations: readonly Migration[],
  records: readonly RecordOf[],
  work: TimedWork,
): readonly ReviewedRecord[] {
  return work.each(
    records,
    (one) => seen(one, reviewRecord(scheme, migrations, one.record)),
    (one, reason) => seen(one, unconvertible(`the code that converts and checks it ${reason}`)),
  );
}

function seen({ id, record }: RecordOf, reviewed: Reviewed): ReviewedRecord {
  return { id, record, name: nameForPeople(id, record), reviewed };
}

function reviewRecord(scheme: Scheme, migrations: readonly Migration[], record: Buffer): Reviewed {
  if (!isSound(record)) return unconvertible('its record is damaged; run `xsvc check`');
  return reviewObject(scheme, migrations, jsonIn(record));
}

function unconvertible(problem: string): Reviewed {
  return { object: undefined, isMigrated: false, problem };
}
