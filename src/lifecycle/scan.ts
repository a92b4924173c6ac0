import { listCauses, getMessage, ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { TimedWork } from '../lib/time/time-limit.js';
import type { Work } from '../lib/work/work.js';
import { Yielder } from '../lib/work/yield.js';
import type { Migration } from '../model/evolve/conversion.js';
import { PendingConversion, withHeldConversions } from '../model/evolve/pending-conversion.js';
import { BUILT_IN_INDEX_NAMES } from '../model/declare/index-spec.js';
import type { ExtensionObject } from '../model/object.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { Engine, KeyRange } from '../store/engine.js';
import { afterKey, idInKey, objectKey, objectsAfter } from '../store/index/keys.js';
import type { ModelRecord } from '../store/catalog.js';
import { isSound, jsonIn, nameForPeople, type RecordModel } from '../store/object-record.js';
import { Table } from '../store/table.js';
import { applyOutstanding } from '../store/lapsed-migrations.js';
import { inStorageVersion } from '../store/stored-version.js';
import { withSnapshot } from '../store/with-snapshot.js';

/** An object as the loaded code reads it. */
export interface CheckedObject {
  /** In the storage version, migrated, with the defaults of its schema; undefined when it cannot be converted. */
  readonly object: ExtensionObject | undefined;
  readonly isMigrated: boolean;
  /** The reason why it does not match; undefined when it matches. */
  readonly problem: string | undefined;
}

/** Changes and checks a stored object. */
export type CheckJson = (json: Uint8Array) => CheckedObject;

/** Converts, migrates and checks a stored object. The plugin's code determines the time. */
export function checkObject(
  scheme: Scheme,
  migrations: readonly Migration[],
  json: Uint8Array,
): CheckedObject {
  let before: ExtensionObject;
  let object: ExtensionObject;
  try {
    before = inStorageVersion(scheme, json);
    object = applyOutstanding(scheme, migrations, before);
  } catch (error) {
    if (error instanceof PendingConversion) throw error;
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

/** A stored object with the result of its check. */
export interface ScannedRecord extends RecordOf {
  readonly name: string;
  /** Undefined when the record is damaged. */
  readonly json: Buffer | undefined;
  readonly checked: CheckedObject;
}

/** An object that does not match the declaration of its model. */
export interface InvalidObject {
  readonly name: string;
  readonly problem: string;
}

export interface ObjectScan {
  readonly objects: number;
  readonly invalid: number;
  /** The first invalid objects. */
  readonly named: readonly InvalidObject[];
}

/** Most invalid objects that are named. */
const NAMED_MAX = 10;

/** Counts invalid objects, and names the first of them. */
export class InvalidObjects {
  count = 0;
  readonly named: InvalidObject[] = [];

  add(object: InvalidObject): void {
    this.count++;
    if (this.named.length < NAMED_MAX) this.named.push(object);
  }
}

export const NO_OBJECTS_SCANNED: ObjectScan = { objects: 0, invalid: 0, named: [] };

/** The result of two scans, one after the other. */
export function addScans(first: ObjectScan, second: ObjectScan): ObjectScan {
  return {
    objects: first.objects + second.objects,
    invalid: first.invalid + second.invalid,
    named: [...first.named, ...second.named].slice(0, NAMED_MAX),
  };
}

/** Names the first invalid objects of a scan, with their problems. */
export function formatNamed({ invalid, named }: ObjectScan): string {
  const list = named.map(({ name, problem }) => `${name}: ${problem}`).join('; ');
  return invalid > named.length ? `${list}; and ${invalid - named.length} more` : list;
}

export interface ObjectScanOptions {
  readonly migrations?: readonly Migration[];
  /** Checks the JSON of an object. Default: {@link checkObject} with the migrations. */
  readonly check?: CheckJson;
  /** Only objects with a larger id. */
  readonly after?: number;
  /** Only objects with ids up to this one. */
  readonly until?: number;
  /** Called with each object that does not match. */
  readonly onInvalid?: (object: InvalidObject) => void;
  /** Called with each object. An error from it ends the scan. */
  readonly onObject?: (scanned: ScannedRecord) => void;
  /** Called with the objects of each batch, and awaited. */
  readonly onBatch?: (some: readonly ScannedRecord[]) => Promise<void>;
  /** Called with the number of checked objects. */
  readonly progress?: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
  /** Ends the scan early with an error, and counts the objects. Default: no limits. */
  readonly work?: Work | undefined;
  /** Objects checked without a break. Larger batches are faster, and block other work of the process. Default 50. */
  readonly batch?: number;
}

/** Objects that are read at a time. */
const BATCH = 100;
/** Objects checked without a break. Other requests are answered in between. */
const OBJECTS_AT_ONCE = 50;

/**
 * Checks all objects of a model, in the order of their ids, without writing. Other work runs in between, and only
 * one batch is in memory. Writes in the meantime may be included or not.
 */
export async function scanObjects(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
  {
    migrations = [],
    after = 0,
    until,
    signal,
    work: limits,
    batch = OBJECTS_AT_ONCE,
    check = (json) => checkObject(scheme, migrations, json),
    ...callbacks
  }: ObjectScanOptions = {},
): Promise<ObjectScan> {
  let objects = 0;
  const invalid = new InvalidObjects();
  const work = new TimedWork();
  const yielder = new Yielder();
  const model = new Table(record);
  const isRemote = scheme.versions.isRemote === true;
  const all = objectsAfter(record.id, after);
  const range = until === undefined ? all : { ...all, end: objectKey(record.id, until + 1) };
  for await (const records of iterateBatches(engine, range, { limit: Math.max(batch, BATCH) })) {
    for (let at = 0; at < records.length; at += batch) {
      if (signal?.aborted === true) return { objects, invalid: invalid.count, named: invalid.named };
      const some = records.slice(at, at + batch);
      limits?.addEntries(some.length);
      const conversions = isRemote ? checksOf(model, check, some) : [];
      const scannedSome = await withHeldConversions(conversions, () => checkSome(model, check, some, work));
      for (const one of scannedSome) {
        const { name, checked } = one;
        objects++;
        callbacks.onObject?.(one);
        if (checked.problem === undefined) continue;
        const found = { name, problem: checked.problem };
        invalid.add(found);
        callbacks.onInvalid?.(found);
      }
      await callbacks.onBatch?.(scannedSome);
      if (yielder.isDue) await yielder.take();
    }
    callbacks.progress?.(objects);
  }
  return { objects, invalid: invalid.count, named: invalid.named };
}

/** A stored object by its id. */
export interface RecordOf {
  readonly id: number;
  readonly record: Buffer;
}

export interface RecordBatchOptions {
  /** Most objects of a batch. Default 100. */
  readonly limit?: number;
  /** A batch ends after the record that exceeds this number of bytes. Default: no limit. */
  readonly bytesMax?: number;
  /** True to begin with the largest id. Default false. */
  readonly reverse?: boolean;
}

/** Records of a range of objects. Each batch has its own snapshot. */
export async function* iterateBatches(
  engine: Engine,
  range: KeyRange,
  { limit = BATCH, bytesMax = Infinity, reverse = false }: RecordBatchOptions = {},
): AsyncGenerator<readonly RecordOf[]> {
  for (let rest = range; ;) {
    const from = rest;
    const records: RecordOf[] = [];
    let bytes = 0;
    const last = await withSnapshot(engine, (snapshot) =>
      snapshot.scanInPlace(from, { limit, reverse }, (value, key) => {
        const record = Buffer.from(value.subarray(0, value.length));
        records.push({ id: idInKey(key.bytes.subarray(key.start, key.end)), record });
        return (bytes += record.length) < bytesMax;
      }),
    );
    if (records.length > 0) yield records;
    if (last === undefined) return;
    rest = afterKey(from, last);
  }
}

function checksOf(
  model: RecordModel,
  check: CheckJson,
  records: readonly RecordOf[],
): readonly (() => CheckedObject)[] {
  return records
    .filter(({ record }) => isSound(record))
    .map(
      ({ record }) =>
        () =>
          check(jsonIn(model, record)),
    );
}

function checkSome(
  model: RecordModel,
  check: CheckJson,
  records: readonly RecordOf[],
  work: TimedWork,
): readonly ScannedRecord[] {
  const found = records.map(({ id, record }) => ({
    id,
    record,
    name: nameForPeople(id, record),
    json: isSound(record) ? jsonIn(model, record) : undefined,
  }));
  return work.each(
    found,
    (one) => ({ ...one, checked: one.json === undefined ? DAMAGED : check(one.json) }),
    (one, reason) => ({
      ...one,
      checked: unconvertible(`the code that converts and checks it ${reason}`),
    }),
  );
}

const DAMAGED = unconvertible('its record is damaged; run `xsvc check`');

export function unconvertible(problem: string): CheckedObject {
  return { object: undefined, isMigrated: false, problem };
}
