import { createHash } from 'node:crypto';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { u48 } from '../../src/lib/bytes.js';
import { CatalogEditor, readCatalog, type ModelRecord } from '../../src/store/catalog.js';
import type { Engine } from '../../src/store/engine.js';
import { decodeIndexValues } from '../../src/store/index/index-record.js';
import { getEntries, getObjects, metaKey, objectKey } from '../../src/store/index/keys.js';
import { scanChunks } from '../../src/store/index/scan.js';
import { iterateBatches } from '../../src/lifecycle/scan.js';
import { EXPIRATION } from '../../src/model/expiration.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { Table } from '../../src/store/table.js';
import {
  encodeRecord,
  jsonIn,
  nameIn,
  parseObject,
  revisionIn,
  valuesIn,
} from '../../src/store/object-record.js';

const NAME = 'metadata.updateTimestamp';
const OBJECTS = 500;

/** Turns a store of format 5 into the one that a program of format 4 would have written. */
export async function makeOlder(directory: string): Promise<void> {
  const engine = await openLmdb(directory, { relaxed: true });
  try {
    for (const record of (await readCatalog(engine)).models.values())
      await withoutIndex(engine, record, NAME, ({ metadata }) => {
        delete (metadata as { updateTimestamp?: string }).updateTimestamp;
      });
    await engine.commit((tx) => {
      tx.put(metaKey('format'), u48(4));
      tx.remove(metaKey('program'));
    });
  } finally {
    await engine.close();
  }
}

/** Turns a store into that of a program that did not know what makes objects expire, nor check it. */
export async function makeUnexpiring(
  directory: string,
  change: (object: ExtensionObject) => void,
): Promise<void> {
  const engine = await openLmdb(directory, { relaxed: true });
  try {
    for (const record of (await readCatalog(engine)).models.values())
      await withoutIndex(engine, record, EXPIRATION, change);
  } finally {
    await engine.close();
  }
}

async function withoutIndex(
  engine: Engine,
  model: ModelRecord,
  missing: string,
  change: (object: ExtensionObject) => void,
): Promise<void> {
  const { id: modelId, indexes } = model;
  const table = new Table(model);
  const index = indexes.find(({ name }) => name === missing);
  if (index === undefined) return;
  for await (const batch of iterateBatches(engine, getObjects(modelId), { limit: OBJECTS }))
    await engine.commit((tx) => {
      for (const { id, record } of batch) {
        const object = parseObject(jsonIn(table, record));
        change(object);
        const values = new Map(decodeIndexValues(valuesIn(record)));
        values.delete(index.id);
        const [revision, name, json] = [revisionIn(record), nameIn(record), JSON.stringify(object)];
        tx.put(objectKey(modelId, id), encodeRecord({ revision, name, values, json }));
      }
    });
  const snapshot = engine.snapshot();
  const keys: Buffer[] = [];
  for await (const pairs of scanChunks(snapshot, getEntries(index.id)))
    keys.push(...pairs.map(({ key }) => key));
  snapshot.close();
  for (let at = 0; at < keys.length; at += OBJECTS)
    await engine.commit((tx) => {
      for (const key of keys.slice(at, at + OBJECTS)) tx.remove(key);
    });
  await engine.commit((tx) => {
    new CatalogEditor(tx).update(modelId, ({ dictionaries: _none, ...record }) => ({
      ...record,
      resource: {
        ...record.resource,
        indexes: record.resource.indexes.filter(({ name }) => name !== missing),
      },
      indexes: record.indexes.filter(({ name }) => name !== missing),
    }));
  });
}

/** The digest of all that an upgrade must leave: names, uids, revisions and contents of all objects. */
export async function digestObjects(directory: string): Promise<{ objects: number; sha256: string }> {
  const engine = await openLmdb(directory, { readOnly: true });
  const hash = createHash('sha256');
  let objects = 0;
  try {
    for (const model of (await readCatalog(engine)).models.values()) {
      const { id: modelId } = model;
      const table = new Table(model);
      for await (const batch of iterateBatches(engine, getObjects(modelId), { limit: OBJECTS }))
        for (const { id, record } of batch) {
          const object = parseObject(jsonIn(table, record));
          delete (object.metadata as { updateTimestamp?: string }).updateTimestamp;
          hash.update(JSON.stringify([modelId, id, revisionIn(record), nameIn(record), object]));
          objects++;
        }
    }
    return { objects, sha256: hash.digest('hex') };
  } finally {
    await engine.close();
  }
}
