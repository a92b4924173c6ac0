import { getMessage } from '../errors.js';
import { TimeoutError, runWithTimeout } from '../lib/time/time-limit.js';
import { TooExpensive } from '../lib/work/allowance.js';
import { ConversionError } from '../model/evolve/conversion.js';
import { PendingConversion, withHeldConversions } from '../model/evolve/pending-conversion.js';
import { CatalogEditor } from '../store/catalog.js';
import type { Engine, Transaction } from '../store/engine.js';
import { moveAllEntries } from '../store/index/entries.js';
import { decodeIndexValues } from '../store/index/index-record.js';
import { objectKey, getObjects } from '../store/index/keys.js';
import {
  encodeRecord,
  isSound,
  jsonIn,
  nameForPeople,
  nameIn,
  parseObject,
  revisionIn,
  valuesIn,
} from '../store/object-record.js';
import { ReadyObject } from '../store/ready-object.js';
import { iterateBatches, type RecordOf } from './scan.js';
import { storedVersionIn } from '../store/stored-version.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { withoutWords } from '../store/text/write.js';

/** The result of a rewrite. */
export interface Rewritten {
  readonly objects: number;
  /** Number of objects that remain in another version. */
  readonly left: number;
  /** The reason for the first of them. */
  readonly reason: string | undefined;
}

export interface RewriteOptions {
  /** Ends the rewrite between two commits. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rewritten objects. */
  readonly progress?: ((done: number) => void) | undefined;
}

/** Objects that a commit writes. Others write between two commits. */
const COMMIT_OBJECTS = 50;
/** Longest time for the plugin's code for one object. */
const OBJECT_MS_MAX = 2_000;

/**
 * Rewrites the objects of a model that are stored in other versions, or without defaults, as they are shown in its storage
 * version, in small commits. Readers notice nothing: revisions stay the same, and there are no events. Objects that cannot be
 * converted are not changed.
 */
export async function rewriteObjects(
  store: Store,
  table: Table,
  options?: RewriteOptions,
): Promise<Rewritten> {
  if (table.scheme === undefined) throw new Error(`${table.resource.kind} is not attached`);
  const done = await rewriteAll(store.engine, table, options);
  await store.reload();
  return done;
}

async function rewriteAll(
  engine: Engine,
  table: Table,
  { signal, progress }: RewriteOptions = {},
): Promise<Rewritten> {
  const { modelId, resource } = table;
  let objects = 0;
  let left = 0;
  let reason: string | undefined;
  for await (const batch of iterateBatches(engine, getObjects(modelId))) {
    const others = batch.filter(({ record }) => isOther(table, record));
    for (let at = 0; at < others.length; at += COMMIT_OBJECTS) {
      if (signal?.aborted === true) return { objects, left, reason };
      const part = others.slice(at, at + COMMIT_OBJECTS);
      const failures = await withHeldConversions(
        table.isRemote
          ? part.map(
              ({ record }) =>
                () =>
                  table.parse(jsonIn(table, record)),
            )
          : [],
        () => engine.commit((tx) => (isAsDeclared(tx, table) ? rewritePart(tx, table, part) : undefined)),
      );
      if (failures === undefined) return { objects, left, reason };
      objects += part.length - failures.length;
      left += failures.length;
      progress?.(objects);
      reason ??= failures[0];
    }
  }
  if (left === 0 && signal?.aborted !== true) {
    await engine.commit((tx) => {
      new CatalogEditor(tx).update(modelId, ({ lacksDefaults: _done, ...record }) =>
        record.resource.version === resource.version && record.defaults === table.record.defaults
          ? { ...record, storedVersions: [resource.version] }
          : undefined,
      );
    });
  }
  return { objects, left, reason };
}

/** True when the model has the indexes and defaults of the table, and none is being built: a build writes records too. */
function isAsDeclared(tx: Transaction, { modelId, indexes, record: { defaults } }: Table): boolean {
  const record = new CatalogEditor(tx).find(modelId);
  if (record === undefined || record.builder !== undefined || record.defaults !== defaults) return false;
  return (
    record.indexes.length === indexes.length && record.indexes.every(({ id }, i) => id === indexes[i]?.id)
  );
}

function isOther(table: Table, record: Buffer): boolean {
  if (!isSound(record)) return false;
  const { resource, scheme, lacksDefaults } = table;
  const json = jsonIn(table, record);
  if (storedVersionIn(resource, json) !== resource.version) return true;
  if (!lacksDefaults) return false;
  const object = parseObject(json);
  try {
    return scheme?.shownDefaults !== undefined && scheme.shownDefaults.addTo(object) !== object;
  } catch (error) {
    if (error instanceof TooExpensive) return true;
    throw error;
  }
}

/** @returns the reason for each object that is not changed */
function rewritePart(tx: Transaction, table: Table, part: readonly RecordOf[]): string[] {
  const failures: string[] = [];
  for (const { id } of part) {
    const key = objectKey(table.modelId, id);
    const record = tx.get(key);
    // It may have been written or removed since the read.
    if (record === undefined || !isOther(table, record)) continue;
    try {
      tx.put(key, rewritten(tx, table, { id, record }));
    } catch (error) {
      if (!isLeft(error)) throw error;
      failures.push(`${nameForPeople(id, record)}: ${getMessage(error)}`);
    }
  }
  return failures;
}

/** Errors of an object that stays as it is. A conversion is pending when the object was just written. */
const LEFT = [ConversionError, PendingConversion, TimeoutError, TooExpensive];

function isLeft(error: unknown): boolean {
  return LEFT.some((type) => error instanceof type);
}

/** The record in the storage version. Its entries are updated too, because the converting code may have changed. */
function rewritten(tx: Transaction, table: Table, { id, record }: RecordOf): Buffer {
  const name = nameIn(record);
  const revision = revisionIn(record);
  const object = runWithTimeout(OBJECT_MS_MAX, () => table.parse(jsonIn(table, record)));
  const values = new ReadyObject(table, object).values(String(revision));
  const before = decodeIndexValues(valuesIn(record));
  moveAllEntries(tx, table, { name, id }, { before, after: values });
  const stored = withoutWords(values, table.textIndex?.id);
  const content = { revision, name, values: stored, json: JSON.stringify(object) };
  return encodeRecord(content, table.dictionaries);
}
