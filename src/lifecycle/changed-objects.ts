import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { AdaptiveBatch } from '../lib/work/adaptive-batch.js';
import { TimeoutError, runWithTimeout } from '../lib/time/time-limit.js';
import { Yielder } from '../lib/work/yield.js';
import type { Scheme } from '../model/declare/scheme.js';
import { nextVersion, type ExtensionObject } from '../model/object.js';
import { withBuiltIndexes, type ModelRecord } from '../store/catalog.js';
import type { Transaction } from '../store/engine.js';
import { objectKey } from '../store/index/keys.js';
import { decodeRecord, nameForPeople } from '../store/object-record.js';
import { ReadyObject } from '../store/ready-object.js';
import { Table } from '../store/table.js';
import type { CommittedChange } from '../store/commit-observer.js';
import { StoreTransaction } from '../store/transaction.js';
import type { CommitStamp } from '../store/log/log.js';
import type { CheckJson, RecordOf } from './scan.js';

/** Most objects changed without a break, and target time for that. Other requests are answered in between. */
const OBJECTS_AT_ONCE = 30;
const AT_ONCE_MS = 3;
/** Longest time for the plugin's code, for the objects of one batch. */
const SOME_MS_MAX = 5_000;

/**
 * Indexes being built are filled later. Unique values were compared before the first write. During the run, two
 * objects may share a value that one of them is about to lose.
 */
export function builtTable(record: ModelRecord, scheme: Scheme): Table {
  const { resource, ...fields } = withBuiltIndexes(record);
  const indexes = resource.indexes.map((index) => ({ ...index, unique: false }));
  return new Table({ ...fields, resource: { ...resource, indexes } }, scheme);
}

export interface StoredObjectsChange {
  /** See {@link builtTable}. */
  readonly table: Table;
  /** Changes an object, in the same way at each call. */
  readonly change: CheckJson;
  /** The change in messages: the migration, or the rollback. */
  readonly name: string;
}

/** An object as read, and its new form. */
interface Changed extends RecordOf {
  readonly next: ReadyObject;
}

/** Changes objects before their commit, so that the commit is short. */
export class ObjectChanger {
  readonly #yielder = new Yielder();
  readonly #pace = new AdaptiveBatch(AT_ONCE_MS, OBJECTS_AT_ONCE);

  constructor(private readonly target: StoredObjectsChange) {}

  async apply(objects: readonly RecordOf[]): Promise<readonly Changed[]> {
    const changed: Changed[] = [];
    for (const some of this.#pace.iterateParts(objects)) {
      changed.push(...this.#pace.go(some.length, () => changeSome(this.target, some)));
      if (this.#yielder.isDue) await this.#yielder.take();
    }
    return changed;
  }
}

function changeSome(target: StoredObjectsChange, some: readonly RecordOf[]): readonly Changed[] {
  const { table, name } = target;
  try {
    return runWithTimeout(SOME_MS_MAX, () =>
      some.flatMap((one) => {
        const next = changeObject(target, one);
        return next === undefined ? [] : [{ ...one, next }];
      }),
    );
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    const { kind } = table.resource;
    throw new ServiceError('Timeout', `${name} of ${kind} ${error.message} for ${some.length} objects`);
  }
}

/** Undefined when the object does not change. */
function changeObject(
  { table, change, name }: StoredObjectsChange,
  { id, record }: RecordOf,
): ReadyObject | undefined {
  const { bytes } = decodeRecord(table, id, record);
  const { object, isMigrated, problem } = change(bytes);
  if (object === undefined || problem !== undefined) throw new Error(`${problem ?? ''}: ${name} is not pure`);
  if (!isMigrated) return undefined;
  const isSpecChanged = isOtherSpec(table.parse(bytes), object);
  const metadata = nextVersion({ ...object.metadata }, { at: undefined, isSpecChanged });
  const next = new ReadyObject(table, { ...object, metadata });
  next.prepare();
  return next;
}

/**
 * Writes changed objects, except those that have been deleted.
 * @returns the changes
 */
export function writeChanged(
  tx: Transaction,
  table: Table,
  changed: readonly Changed[],
  stamp: CommitStamp,
): readonly CommittedChange[] {
  const changes: CommittedChange[] = [];
  const transaction = new StoreTransaction(tx, {
    stamp,
    objectBytesMax: Infinity,
    current: () => table,
    findTable: () => undefined,
    incoming: () => [],
    problem: () => undefined,
    changes,
  });
  for (const { id, record, next } of changed) {
    const present = tx.get(objectKey(table.modelId, id));
    if (present === undefined) continue;
    const stored = decodeRecord(table, id, present);
    if (!present.equals(record))
      throw new Error(`${nameForPeople(id, present)} was written while it was migrated`);
    transaction.replace(next, stored);
  }
  transaction.finish();
  return changes;
}

/** True when anything except metadata and status differs. */
function isOtherSpec(
  { metadata: _m, status: _s, ...before }: ExtensionObject,
  { metadata: _n, status: _t, ...after }: ExtensionObject,
): boolean {
  return !deepEqual(before, after);
}
