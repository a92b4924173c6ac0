import { modelKey, type Resource } from '../model/resource.js';
import type { Engine, KeyRange, Snapshot, Transaction } from './engine.js';
import { afterKey, metaKey, getModelKey, modelIdIn, MODELS } from './index/keys.js';
import type { StoredDictionary } from './compression/dictionaries.js';
import type { LapsedMigration, Shape } from './shapes.js';
import { withSnapshot } from './with-snapshot.js';

/**
 * A declared index in the store. A changed declaration gets a new id, so that old entries never mix with new ones.
 */
export interface CatalogIndex {
  readonly id: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly state: 'ready' | 'building';
}

/** The result of a scan of all objects of a model. */
export interface ScanRecord {
  /** Hash of the schema. */
  readonly schema: string;
  /** Number of objects that do not match the schema. */
  readonly unfit: number;
  /** Number of names without a target; absent when there are none. */
  readonly dangling?: number;
}

export interface Rollback {
  /** The last migration that stays applied, or `none`. */
  readonly to: string;
  /** True when it is complete, and objects have the shape of an older release. */
  readonly isDone: boolean;
}

/** A model in the store, with everything needed to read its objects without the plugin's code. */
export interface ModelRecord {
  readonly id: number;
  readonly resource: Resource;
  /** The other served versions. The model itself is served in its storage version. */
  readonly otherVersions?: readonly Resource[];
  /** Versions in which objects are stored. Group and kind identify the model. */
  readonly storedVersions: readonly string[];
  /** Ids of the migrations that were applied to its objects, in order. */
  readonly migrations: readonly string[];
  /** Those of the applied migrations that an older release did not declare, and that are outstanding for what it wrote. */
  readonly lapsed?: readonly LapsedMigration[];
  /** The shapes that its objects had, oldest first; absent while they have had only one. See `shapesOf`. */
  readonly shapes?: readonly Shape[];
  /** For the records of its objects. None is ever removed. */
  readonly dictionaries?: readonly StoredDictionary[];
  /** Present from the begin of a rollback of migrations until code is attached. */
  readonly rollback?: Rollback;
  /** `ShownDefaults.digest` of the storage version. */
  readonly defaults?: string;
  /** Present while objects may be stored without defaults that the schema has gained since. */
  readonly lacksDefaults?: true;
  /** The result of the latest scan. */
  readonly review?: ScanRecord;
  /** In the order of `resource.indexes`. */
  readonly indexes: readonly CatalogIndex[];
  /**
   * The process that builds indexes; present while any is in state `building`. {@link NO_BUILDER} when that process
   * has given up.
   */
  readonly builder?: string;
  /** The reason why the model cannot be served as declared: objects share values that must be unique. */
  readonly failure?: string;
}

/** The builder of a model with unfinished work that no process does. */
export const NO_BUILDER = '';

/** True when a process still works on a model with this builder. */
export function isWorkedOn(builder: string): boolean {
  return builder !== NO_BUILDER;
}

export function withBuiltIndexes(record: ModelRecord): ModelRecord {
  const isBuilt = (_: unknown, i: number): boolean => record.indexes[i]?.state === 'ready';
  const resource = { ...record.resource, indexes: record.resource.indexes.filter(isBuilt) };
  return { ...record, resource, indexes: record.indexes.filter(isBuilt) };
}

/** All models of the store, as of one version. */
export interface Catalog {
  /** Increases with every change of any record. */
  readonly version: number;
  readonly nextId: number;
  /** By `modelKey`. */
  readonly models: ReadonlyMap<string, ModelRecord>;
}

interface CatalogHead {
  readonly version: number;
  /** The next id of a model or an index. Ids are never reused. */
  readonly nextId: number;
}

const EMPTY_HEAD: CatalogHead = { version: 0, nextId: 1 };
export const CATALOG_HEAD_KEY = metaKey('catalogue');
const DROPPED_KEY = metaKey('dropped');
const FORGOTTEN_KEY = metaKey('forgotten');
/** Above any realistic number of models; a scan without a limit would need pages. */
const MODELS_MAX = 100_000;

function parseHead(bytes: Buffer | undefined): CatalogHead {
  return bytes === undefined ? EMPTY_HEAD : (JSON.parse(bytes.toString()) as CatalogHead);
}

/** @param head the value of {@link CATALOG_HEAD_KEY} */
export function catalogVersionIn(head: Buffer | undefined): number {
  return parseHead(head).version;
}

export function readCatalogVersion(tx: Transaction): number {
  return catalogVersionIn(tx.get(CATALOG_HEAD_KEY));
}

/** @param known an earlier result, which is returned while the version has not changed */
export function readCatalog(engine: Engine, known?: Catalog): Promise<Catalog> {
  return withSnapshot(engine, (snapshot) => readCatalogIn(snapshot, known));
}

async function readCatalogIn(snapshot: Snapshot, known: Catalog | undefined): Promise<Catalog> {
  const head = parseHead(await snapshot.get(CATALOG_HEAD_KEY));
  if (head.version === known?.version) return known;
  const before = new Map([...(known?.models.values() ?? [])].map((record) => [record.id, record]));
  const models = new Map<string, ModelRecord>();
  for (const { key, value } of await snapshot.scan(MODELS, { limit: MODELS_MAX })) {
    const record = sameRecord(before.get(modelIdIn(key)), value) ?? parseRecord(value);
    models.set(modelKey(record.resource), record);
  }
  return { ...head, models };
}

/** The stored bytes of records: a change of one model must not parse the schemas of all others. */
const stored = new WeakMap<ModelRecord, Uint8Array>();

function sameRecord(record: ModelRecord | undefined, bytes: Buffer): ModelRecord | undefined {
  const before = record && stored.get(record);
  return before !== undefined && bytes.equals(before) ? record : undefined;
}

function parseRecord(bytes: Buffer): ModelRecord {
  const record = JSON.parse(bytes.toString()) as ModelRecord;
  stored.set(record, Buffer.from(bytes));
  return record;
}

function parseIds(bytes: Buffer | undefined): number[] {
  return bytes === undefined ? [] : (JSON.parse(bytes.toString()) as number[]);
}

/** Ids of indexes that are no longer declared but may still have entries. */
export async function readDropped(engine: Engine): Promise<number[]> {
  return parseIds(await engine.get(DROPPED_KEY));
}

/** Ids of removed models that log entries may still refer to. */
export async function readForgotten(snapshot: Snapshot): Promise<ReadonlySet<number>> {
  return new Set(parseIds(await snapshot.get(FORGOTTEN_KEY)));
}

/** Changes records inside one commit and increases the version, so that every process notices. */
export class CatalogEditor {
  #nextId: number;
  readonly #version: number;

  constructor(private readonly tx: Transaction) {
    const head = parseHead(tx.get(CATALOG_HEAD_KEY));
    this.#nextId = head.nextId;
    this.#version = head.version;
  }

  newId(): number {
    return this.#nextId++;
  }

  find(modelId: number): ModelRecord | undefined {
    const bytes = this.tx.get(getModelKey(modelId));
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as ModelRecord);
  }

  /** Finds a record by `modelKey`. Reads all records, so it is for rare use. */
  findByKey(key: string): ModelRecord | undefined {
    const kind = JSON.stringify(key.slice(key.indexOf('/') + 1));
    for (const bytes of this.#iterate()) {
      // Most of the time is that of parsing schemas.
      if (!bytes.includes(kind)) continue;
      const record = JSON.parse(bytes.toString()) as ModelRecord;
      if (modelKey(record.resource) === key) return record;
    }
    return undefined;
  }

  /** All records, in the order of their ids. */
  *all(): Generator<ModelRecord> {
    for (const bytes of this.#iterate()) yield JSON.parse(bytes.toString()) as ModelRecord;
  }

  *#iterate(): Generator<Buffer> {
    let range: KeyRange = MODELS;
    for (;;) {
      const pair = this.tx.first(range);
      if (pair === undefined) return;
      yield pair.value;
      range = afterKey(range, pair.key);
    }
  }

  put(record: ModelRecord): void {
    this.tx.put(getModelKey(record.id), Buffer.from(JSON.stringify(record)));
    this.#move();
  }

  /** Changes the record of a model; does nothing when it is gone, or the change returns undefined. */
  update(modelId: number, change: (record: ModelRecord) => ModelRecord | undefined): void {
    const record = this.find(modelId);
    const next = record && change(record);
    if (next !== undefined) this.put(next);
  }

  /** Removes a model without objects. Log entries may still refer to it. */
  remove({ id }: ModelRecord): void {
    this.tx.remove(getModelKey(id));
    this.tx.put(FORGOTTEN_KEY, Buffer.from(JSON.stringify([...parseIds(this.tx.get(FORGOTTEN_KEY)), id])));
    this.#move();
  }

  #move(): void {
    const head: CatalogHead = { version: this.#version + 1, nextId: this.#nextId };
    this.tx.put(CATALOG_HEAD_KEY, Buffer.from(JSON.stringify(head)));
  }

  /** Indexes that are no longer declared. Their entries are removed in the background. */
  dropped(): number[] {
    return parseIds(this.tx.get(DROPPED_KEY));
  }

  setDropped(indexIds: readonly number[]): void {
    if (indexIds.length === 0) this.tx.remove(DROPPED_KEY);
    else this.tx.put(DROPPED_KEY, Buffer.from(JSON.stringify(indexIds)));
  }
}
