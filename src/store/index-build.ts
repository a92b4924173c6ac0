import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError, unavailable } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import { modelKey } from '../model/resource.js';
import type { Scheme } from '../model/scheme.js';
import { CatalogEditor, type CatalogIndex, type ModelRecord, readCatalog, readDropped } from './catalog.js';
import type { Engine, Transaction } from './engine.js';
import { duplicatesOf, moveEntries, type Duplicate } from './entries.js';
import { decodeIndexValues } from './index-record.js';
import { countKey, entriesOf, following, idInKey, objectKey, objectsOf } from './keys.js';
import { decodeRecord, encodeRecord, nameIn, valuesIn } from './object-record.js';
import { Table } from './table.js';
import { decodeCount } from './transaction.js';

export interface BuildProgress {
  readonly kind: string;
  /** Names of the indexes being built; empty when only old ones are taken out. */
  readonly indexes: readonly string[];
  readonly done: number;
  readonly total: number;
}

export interface Builder {
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
}

/** Objects a commit of the build takes: small enough that requests and other writers are not held up. */
const BATCH_OBJECTS = 100;
const SWEEP_ENTRIES = 2_000;
const WAIT_FOR_OTHER_MS = 200;

/** Which indexes of a model are built: those that need it, or all. */
export type BuildScope = 'outdated' | 'all';

/**
 * Makes the store's record of a model say what its code declares, and its indexes hold what they should.
 * A build that was interrupted starts again under new ids; what it left is swept.
 */
export async function attachModel(
  engine: Engine,
  scheme: Scheme,
  builder: Builder,
  progress: (progress: BuildProgress) => void = () => undefined,
  scope: BuildScope = 'outdated',
): Promise<void> {
  for (;;) {
    const known = (await readCatalog(engine)).models.get(modelKey(scheme.resource));
    if (scope === 'outdated' && known !== undefined && isUpToDate(known, scheme)) return;
    const planned = await engine.commit((tx) => planBuild(tx, known?.id, scheme, builder, scope));
    if (planned === 'someone else builds') {
      await sleep(WAIT_FOR_OTHER_MS);
      continue;
    }
    if (planned.builder !== undefined) {
      await build(engine, planned, scheme, builder, progress);
      await engine.commit((tx) => finishBuild(tx, planned.id, builder));
    } else if (scope === 'outdated') return;
    await sweepDropped(engine);
    return;
  }
}

function isUpToDate(record: ModelRecord, scheme: Scheme): boolean {
  return (
    record.builder === undefined &&
    record.indexes.length === scheme.indexes.length &&
    scheme.indexes.every((index, i) => isReady(record.indexes[i], index)) &&
    isDeepStrictEqual(record.resource, asStored(scheme))
  );
}

function isReady(record: CatalogIndex | undefined, index: { name: string; fingerprint: string }): boolean {
  return (
    record !== undefined &&
    record.state === 'ready' &&
    record.name === index.name &&
    record.fingerprint === index.fingerprint
  );
}

/** The model's data in the form it has after a round through JSON. */
function asStored(scheme: Scheme): ModelRecord['resource'] {
  return JSON.parse(JSON.stringify(scheme.resource)) as ModelRecord['resource'];
}

/** Writes what is to be built into the catalogue. From then on nobody else writes objects of the model. */
function planBuild(
  tx: Transaction,
  modelId: number | undefined,
  scheme: Scheme,
  builder: Builder,
  scope: BuildScope,
): ModelRecord | 'someone else builds' {
  const editor = new CatalogEditor(tx);
  // Two processes may see a new model at once; the second finds the first one's record.
  const known = modelId === undefined ? editor.findByKey(modelKey(scheme.resource)) : editor.find(modelId);
  const other = known?.builder;
  if (other !== undefined && other !== builder.owner && builder.isAlive(other)) return 'someone else builds';

  const id = known?.id ?? editor.newId();
  const empty = decodeCount(tx.get(countKey(id))).objects === 0;
  const state = empty ? 'ready' : 'building';
  const indexes = scheme.indexes.map((index): CatalogIndex => {
    const kept = scope === 'all' ? undefined : known?.indexes.find((record) => isReady(record, index));
    return kept ?? { id: editor.newId(), name: index.name, fingerprint: index.fingerprint, state };
  });
  const keptIds = new Set(indexes.map((index) => index.id));
  const dropped = (known?.indexes ?? []).map((index) => index.id).filter((old) => !keptIds.has(old));
  const nothingToSweep = dropped.length === 0 && indexes.every((index) => index.state === 'ready');
  const record: ModelRecord = {
    id,
    resource: asStored(scheme),
    storedVersions: storedVersionsOf(known, scheme, empty),
    migrations: known?.migrations ?? [],
    indexes,
    ...(empty || (nothingToSweep && known?.builder === undefined) ? {} : { builder: builder.owner }),
  };
  editor.put(record);
  if (dropped.length > 0) editor.setDropped([...editor.dropped(), ...dropped]);
  return record;
}

/** In which versions objects may be stored from now on. */
function storedVersionsOf(known: ModelRecord | undefined, { resource }: Scheme, empty: boolean): string[] {
  const before = empty ? [] : (known?.storedVersions ?? []);
  return [...before.filter((version) => version !== resource.version), resource.version];
}

/** Computes the new indexes' values of every object and takes those of dropped indexes out of the records. */
async function build(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
  builder: Builder,
  progress: (progress: BuildProgress) => void,
): Promise<void> {
  const table = new Table(record, scheme);
  const names = record.indexes.filter((index) => index.state === 'building').map((index) => index.name);
  const snapshot = engine.snapshot();
  let total: number;
  try {
    total = decodeCount(await snapshot.get(countKey(record.id))).objects;
  } finally {
    snapshot.close();
  }
  let range = objectsOf(record.id);
  const duplicates: Duplicate[] = [];
  for (let done = 0; ;) {
    progress({ kind: record.resource.kind, indexes: names, done, total });
    const keys = await scanKeys(engine, range, BATCH_OBJECTS);
    const last = keys.at(-1);
    if (last === undefined) break;
    const found = await engine.commit((tx) => {
      refuseLost(tx, record.id, builder);
      return keys.flatMap((key) => buildOne(tx, table, idInKey(key)));
    });
    duplicates.push(...found);
    done += keys.length;
    range = following(range, last);
  }
  if (duplicates.length > 0) throw notUnique(record, duplicates);
}

/** Duplicates that are named. */
const DUPLICATES_NAMED_MAX = 100;

function notUnique(
  { resource: { group, kind } }: ModelRecord,
  duplicates: readonly Duplicate[],
): ServiceError {
  const named = duplicates.slice(0, DUPLICATES_NAMED_MAX);
  const list = named.map(({ index, message }) => `${index} ${message}`).join('; ');
  const more = duplicates.length > named.length ? `; and ${duplicates.length - named.length} more` : '';
  const causes = named.map(({ index, message }) => ({
    field: index,
    reason: 'FieldValueDuplicate' as const,
    message,
  }));
  return new ServiceError(
    'AlreadyExists',
    `objects of ${kind} share values that must be unique: ${list}${more}; change them with the declaration from before`,
    { group, kind, causes },
  );
}

async function scanKeys(
  engine: Engine,
  range: ReturnType<typeof objectsOf>,
  limit: number,
): Promise<Buffer[]> {
  const snapshot = engine.snapshot();
  const keys: Buffer[] = [];
  try {
    await snapshot.scanInPlace(range, { limit }, (_value, { bytes, start, end }) => {
      keys.push(Buffer.from(bytes.subarray(start, end)));
      return true;
    });
    return keys;
  } finally {
    snapshot.close();
  }
}

/** Another process took this one for dead and builds by itself. */
function refuseLost(tx: Transaction, modelId: number, builder: Builder): void {
  const now = new CatalogEditor(tx).find(modelId);
  if (now?.builder !== builder.owner) {
    throw unavailable(`another process took over building the indexes of ${now?.resource.kind ?? 'a model'}`);
  }
}

/** @returns the values that another object has already; their entries are left out */
function buildOne(tx: Transaction, table: Table, id: number): readonly Duplicate[] {
  const key = objectKey(table.modelId, id);
  const record = tx.get(key);
  if (record === undefined) return [];
  const { revision, bytes } = decodeRecord(table, id, record);
  const name = nameIn(record);
  const before = decodeIndexValues(valuesIn(record));
  const duplicates: Duplicate[] = [];
  const values = new Map<number, readonly Buffer[]>();
  let object: ExtensionObject | undefined;
  for (const index of table.indexes) {
    const known = before.get(index.id);
    if (known !== undefined || index.declared === undefined) {
      values.set(index.id, known ?? []);
      continue;
    }
    object ??= table.parse(bytes);
    const now = index.declared.values(object);
    const taken = duplicatesOf(tx, table, index, { name, id, values: now });
    duplicates.push(...taken);
    if (taken.length === 0) moveEntries(tx, index, id, { before: undefined, after: now });
    values.set(index.id, now);
  }
  tx.put(key, encodeRecord({ revision, name, values, json: bytes }));
  return duplicates;
}

function finishBuild(tx: Transaction, modelId: number, builder: Builder): void {
  refuseLost(tx, modelId, builder);
  const editor = new CatalogEditor(tx);
  const record = editor.find(modelId);
  if (record === undefined) return;
  const { builder: _done, ...rest } = record;
  editor.put({ ...rest, indexes: record.indexes.map((index) => ({ ...index, state: 'ready' })) });
}

/** Removes what dropped indexes left, in small commits; interrupted, it goes on at the next start. */
export async function sweepDropped(engine: Engine): Promise<void> {
  for (;;) {
    const [indexId] = await readDropped(engine);
    if (indexId === undefined) return;
    const keys = await scanKeys(engine, entriesOf(indexId), SWEEP_ENTRIES);
    await engine.commit((tx) => {
      for (const key of keys) tx.remove(key);
      const editor = new CatalogEditor(tx);
      if (keys.length < SWEEP_ENTRIES) editor.setDropped(editor.dropped().filter((id) => id !== indexId));
    });
  }
}
