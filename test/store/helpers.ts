import { afterEach, expect } from 'vitest';
import type { ServiceError } from '../../src/errors.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ExtensionObject, ObjectDraft } from '../../src/model/object.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { Engine, KeyRange, KeyValue, Transaction } from '../../src/store/engine.js';
import { FAMILY, nameKey, objectKey } from '../../src/store/index/keys.js';
import {
  encodeRecord,
  indexRecordIn,
  jsonIn,
  type RecordContent,
  revisionIn,
} from '../../src/store/object-record.js';
import { readU48 } from '../../src/lib/bytes.js';
import type { Table } from '../../src/store/table.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { refusal } from '../suites/verbs-helpers.js';

@GVK({ group: 'demo.example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })
export class Thing extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  declare spec: { color?: string; size?: number; tags?: string[] };
}

export const THING: ResourceRef = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
};

export const byColor: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc((o) => o.spec.color));
};

export const byColorAndTags: DeclareIndexes = (specs) => {
  byColor(specs);
  specs.add(IndexSpecs.multi<Thing, string>('spec.tags', 'string').indexFunc((o) => o.spec.tags));
};

export function thing(name: string, spec: Thing['spec'] = {}): ObjectDraft {
  return { metadata: { name }, spec };
}

export interface TestStores {
  /** Opens a service on a directory, a new one by default; it is closed after the test. */
  open(directory?: string, now?: () => number): Promise<TestService>;
  /** The next check is not done: the test has damaged the store. */
  damaged(t: TestService): void;
}

/** After each test every store that is still open must be consistent. */
export function useStores(): TestStores {
  const opened: TestService[] = [];
  const damaged = new Set<TestService>();
  afterEach(async () => {
    const found: string[] = [];
    for (const t of opened) if (!damaged.has(t)) found.push(...(await t.check()));
    for (const t of opened.splice(0)) await t.close();
    damaged.clear();
    removeDirectories();
    expect(found).toEqual([]);
  });
  return {
    async open(directory = temporaryDirectory(), now?: () => number) {
      const t = await openTestService(directory, {}, { now });
      const tracked: TestService = {
        ...t,
        async close() {
          const at = opened.indexOf(tracked);
          if (at < 0) return;
          opened.splice(at, 1);
          await t.close();
        },
      };
      opened.push(tracked);
      return tracked;
    },
    damaged: (t) => damaged.add(t),
  };
}

export function tableOf(t: TestService): Table {
  const table = t.store.findTable(THING);
  if (table === undefined) throw new Error('the model has no table');
  return table;
}

export function indexIdOf(t: TestService, name: string): number {
  const index = tableOf(t).indexes.find((one) => one.name === name);
  if (index === undefined) throw new Error(`there is no index ${name}`);
  return index.id;
}

export async function scanAll(engine: Engine, range: KeyRange): Promise<KeyValue[]> {
  const snapshot = engine.snapshot();
  try {
    return await snapshot.scan(range, { limit: 1_000_000 });
  } finally {
    snapshot.close();
  }
}

/** Every key and value of the store, as text that can be compared. */
export async function contents(engine: Engine): Promise<string[]> {
  const families = Object.values(FAMILY).map((family) => {
    return scanAll(engine, { start: Buffer.from([family]), end: Buffer.from([family + 1]) });
  });
  return (await Promise.all(families))
    .flat()
    .map(({ key, value }) => `${key.toString('hex')}=${value.toString('hex')}`);
}

export async function createThings(
  t: TestService,
  count: number,
  spec: (i: number) => Thing['spec'],
  prefix = 't',
): Promise<void> {
  const items = Array.from({ length: count }, (_, i) => {
    return { verb: 'create', resource: THING, object: thing(`${prefix}${i}`, spec(i)) } as const;
  });
  await t.service.batch(items);
}

export async function revisionOf(t: TestService): Promise<number> {
  const view = t.store.read();
  try {
    return await view.revision();
  } finally {
    view.close();
  }
}

/** A stored object as the store's own transactions take it. */
export function stamped(name: string, revision: number, spec: Thing['spec'] = {}): ExtensionObject {
  return {
    apiVersion: 'demo.example.com/v1',
    kind: 'Thing',
    metadata: {
      name,
      uid: '00000000-0000-4000-8000-000000000000',
      generation: 1,
      version: 0,
      resourceVersion: String(revision),
      creationTimestamp: '2026-01-01T00:00:00.000Z',
      updateTimestamp: '2026-01-01T00:00:00.000Z',
    },
    spec,
  };
}

export async function expectUnavailable(action: Promise<unknown>): Promise<ServiceError> {
  const error = await refusal(action);
  expect(error.code, error.message).toBe('ServiceUnavailable');
  return error;
}

/** Where an object's record is stored. */
export function recordKeyOf(tx: Transaction, t: TestService, name: string): Buffer {
  const { modelId } = tableOf(t);
  return objectKey(modelId, readU48(bytesAt(tx, nameKey(modelId, name))));
}

export function bytesAt(tx: Transaction, key: Buffer): Buffer {
  const bytes = tx.get(key);
  if (bytes === undefined) throw new Error('nothing to damage');
  return bytes;
}

/** Writes an object's record with other content, as a sound one. */
export function rewrite(
  tx: Transaction,
  t: TestService,
  name: string,
  change: (content: RecordContent) => Partial<RecordContent>,
): void {
  const key = recordKeyOf(tx, t, name);
  const record = bytesAt(tx, key);
  const { values } = indexRecordIn(0, record);
  const content = { revision: revisionIn(record), name, values, json: jsonIn(tableOf(t), record) };
  tx.put(key, encodeRecord({ ...content, ...change(content) }));
}
