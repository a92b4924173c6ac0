import { type ServiceError, unavailable } from '../../errors.js';
import { builtInIndexes } from '../../model/declare/index-spec.js';
import type { Index } from '../../model/declare/scheme.js';
import type { Metadata } from '../../model/object.js';
import type { IndexDeclaration, Resource } from '../../model/resource.js';
import {
  CatalogEditor,
  NO_BUILDER,
  readCatalog,
  type CatalogIndex,
  type ModelRecord,
} from '../../store/catalog.js';
import type { Engine, Transaction } from '../../store/engine.js';
import { endUpgrade, putUpgrade, readFormat, type UpgradePosition } from '../../store/format.js';
import { entriesOfObject } from '../../store/index/entries.js';
import { decodeIndexValues } from '../../store/index/index-record.js';
import { countKey, objectKey, objectsAfter } from '../../store/index/keys.js';
import {
  bodyIn,
  encodeRecord,
  isSound,
  nameIn,
  parseObject,
  revisionIn,
  valuesIn,
} from '../../store/object-record.js';
import { Table, type TableIndex } from '../../store/table.js';
import { decodeCount } from '../../store/transaction.js';
import { isMigrationBegun } from '../migration-progress.js';
import { iterateBatches } from '../scan.js';
import type { FormatStep, UpgradeRun } from './step.js';

const NAME = 'metadata.updateTimestamp';
/** The index before it, in the order of a model's indexes. */
const BEFORE = 'metadata.creationTimestamp';

/** Most objects of a commit; small, so that it takes milliseconds, and fits into one request to a shared store. */
const OBJECTS_MAX = 500;
const OBJECT_BYTES_MAX = 256 * 1024;

/**
 * Gives every object `metadata.updateTimestamp`, which is the time of its creation, and every model the index of it.
 * Revisions stay the same, and there are no events.
 */
export const UPDATE_TIMESTAMP: FormatStep = {
  from: 4,
  to: 5,
  description: 'every object gets metadata.updateTimestamp, and every model the index of it',
  begin(tx, owner) {
    const editor = new CatalogEditor(tx);
    for (const record of [...editor.all()]) editor.put(withIndex(tx, editor, record, owner));
  },
  run,
  read: (record) => (isSound(record) ? withTime(record).record : record),
};

async function run(given: UpgradeRun): Promise<void> {
  const { engine, owner, stillMine, progress } = given;
  let done = (await readFormat(engine))?.upgrade?.done ?? 0;
  progress(done);
  for (;;) {
    const next = [...(await readCatalog(engine)).models.values()].find((record) => !isUpgraded(record));
    if (next === undefined) break;
    // A process that was killed may have begun, and one of an older version may have removed the index.
    await engine.commit((tx) => {
      stillMine(tx);
      const editor = new CatalogEditor(tx);
      editor.update(next.id, (record) => withIndex(tx, editor, record, owner));
    });
    done = await upgradeModel(given, next.id, done);
  }
  await engine.commit((tx) => {
    stillMine(tx);
    if (![...new CatalogEditor(tx).all()].every(isUpgraded)) throw changedMeanwhile();
    endUpgrade(tx);
  });
}

/** @returns the number of upgraded objects of all models */
async function upgradeModel(
  { engine, stillMine, progress }: UpgradeRun,
  modelId: number,
  before: number,
): Promise<number> {
  const begun = await readPosition(engine, modelId);
  let done = before;
  const rest = objectsAfter(modelId, begun?.after ?? 0);
  for await (const batch of iterateBatches(engine, rest, {
    limit: OBJECTS_MAX,
    bytesMax: OBJECT_BYTES_MAX,
  })) {
    const ids = batch.map(({ id }) => id);
    done += ids.length;
    await engine.commit((tx) => {
      stillMine(tx);
      upgradeObjects(tx, findIndex(tx, modelId), { modelId, ids });
      putUpgrade(tx, { modelId, after: ids.at(-1) ?? 0, done });
    });
    progress(done);
  }
  await engine.commit((tx) => {
    stillMine(tx);
    new CatalogEditor(tx).update(modelId, (record) => finished(tx, record));
  });
  return done;
}

async function readPosition(engine: Engine, modelId: number): Promise<UpgradePosition | undefined> {
  const position = (await readFormat(engine))?.upgrade;
  return position?.modelId === modelId ? position : undefined;
}

/** Adds the index to the record of a model that lacks it, and makes this process its builder. */
function withIndex(tx: Transaction, editor: CatalogEditor, record: ModelRecord, owner: string): ModelRecord {
  if (isUpgraded(record)) return record;
  if (record.indexes.some(isBuiltIn)) return { ...record, builder: owner };
  const isEmpty = decodeCount(tx.get(countKey(record.id))).objects === 0;
  const { declaration, fingerprint } = BUILT_IN;
  const id = editor.newId();
  const index: CatalogIndex = { id, name: NAME, fingerprint, state: isEmpty ? 'ready' : 'building' };
  // A plugin may have declared an index with this name.
  const replaced = record.indexes.filter(({ name }) => name === NAME);
  if (replaced.length > 0) editor.setDropped([...editor.dropped(), ...replaced.map((old) => old.id)]);
  const withDeclaration = (resource: Resource): Resource => ({
    ...resource,
    indexes: inserted(resource.indexes, declaration),
  });
  return {
    ...record,
    resource: withDeclaration(record.resource),
    ...(record.otherVersions && { otherVersions: record.otherVersions.map(withDeclaration) }),
    indexes: inserted(record.indexes, index),
    ...(!isEmpty && { builder: owner }),
  };
}

/** The list with a member in its place among the built-in indexes, instead of one with its name. */
function inserted<T extends { readonly name: string }>(list: readonly T[], member: T): readonly T[] {
  const others = list.filter(({ name }) => name !== NAME);
  const at = others.findIndex(({ name }) => name === BEFORE) + 1;
  return [...others.slice(0, at), member, ...others.slice(at)];
}

function finished(tx: Transaction, { builder: _done, ...record }: ModelRecord): ModelRecord {
  const indexes = record.indexes.map((index): CatalogIndex =>
    isBuiltIn(index) ? { ...index, state: 'ready' } : index,
  );
  // Other work that a process had not finished is left to the next one that attaches the model.
  const isUnfinished = indexes.some(({ state }) => state === 'building') || isMigrationBegun(tx, record.id);
  return { ...record, indexes, ...(isUnfinished && { builder: NO_BUILDER }) };
}

function isUpgraded({ indexes }: ModelRecord): boolean {
  return indexes.some((index) => isBuiltIn(index) && index.state === 'ready');
}

function isBuiltIn({ name, fingerprint }: Pick<CatalogIndex, 'name' | 'fingerprint'>): boolean {
  return name === NAME && fingerprint === BUILT_IN.fingerprint;
}

interface BuiltIn {
  readonly declaration: IndexDeclaration;
  readonly fingerprint: string;
  readonly values: Index['values'];
}

const BUILT_IN = findBuiltIn();

function findBuiltIn(): BuiltIn {
  const found = builtInIndexes({}).find(({ name }) => name === NAME);
  if (found === undefined) throw new Error(`there is no index ${NAME}`);
  const { name, keyType, multi, unique, order, sparse, fingerprint } = found;
  const declaration = { name, keyType, multi, unique, order, sparse };
  return { declaration, fingerprint, values: (object) => found.values(object) };
}

function findIndex(tx: Transaction, modelId: number): TableIndex {
  const record = new CatalogEditor(tx).find(modelId);
  const table = record && new Table(record);
  const position = record?.indexes.findIndex(isBuiltIn) ?? -1;
  const index = table?.indexes[position];
  if (index === undefined) throw changedMeanwhile();
  return index;
}

function changedMeanwhile(): ServiceError {
  return unavailable('a process of an older version changed the models meanwhile; stop it, and start again');
}

/**
 * Writes records again. They have grown: in its old place each would split a full page, and leave two that are half
 * empty. So all are removed first, and then appended, page after page.
 */
function upgradeObjects(
  tx: Transaction,
  index: TableIndex,
  { modelId, ids }: { readonly modelId: number; readonly ids: readonly number[] },
): void {
  const upgraded = ids.flatMap((id) => {
    const key = objectKey(modelId, id);
    const record = tx.get(key);
    // It may have been deleted. A damaged one stays, for `xsvc check`.
    if (record === undefined || !isSound(record) || decodeIndexValues(valuesIn(record)).has(index.id))
      return [];
    return [{ key, ...withTime(record, index), id }];
  });
  for (const { key } of upgraded) tx.remove(key);
  for (const { key, record } of upgraded) tx.put(key, record);
  for (const { id, values } of upgraded)
    for (const entry of entriesOfObject(index, id, values)) tx.put(entry, NOTHING);
}

const NOTHING = Buffer.alloc(0);

interface Timed {
  readonly record: Buffer;
  /** The object's values in the index. */
  readonly values: readonly Buffer[];
}

/** A record with the time of the last change in its object, and in its index values when an index is given. */
function withTime(record: Buffer, index?: TableIndex): Timed {
  const object = parseObject(bodyIn(record));
  object.metadata = metadataWithTime(object.metadata);
  const values = BUILT_IN.values(object);
  const all = new Map(decodeIndexValues(valuesIn(record)));
  if (index !== undefined) all.set(index.id, values);
  const content = { revision: revisionIn(record), name: nameIn(record), values: all };
  return { record: encodeRecord({ ...content, json: JSON.stringify(object) }), values };
}

/** A member with the name that a client has stored is replaced. */
function metadataWithTime({ creationTimestamp, updateTimestamp: _given, ...others }: Metadata): Metadata {
  return { ...others, creationTimestamp, updateTimestamp: creationTimestamp };
}
