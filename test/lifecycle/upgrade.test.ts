import { readFileSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { receiveBackup } from '../../src/admin/backup-file.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { isOwnerAlive, ownerName } from '../../src/lib/process/process-identity.js';
import { publishServedModels } from '../../src/cluster/served-models.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import {
  planUpgrade,
  type UpgradeOptions,
  type UpgradeProgress,
} from '../../src/lifecycle/upgrade/upgrade.js';
import type { Engine } from '../../src/store/engine.js';
import { FORMAT, readFormat } from '../../src/store/format.js';
import { metaKey } from '../../src/store/index/keys.js';
import { u48 } from '../../src/lib/bytes.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Models } from '../../src/service/models.js';
import { Service } from '../../src/service/service.js';
import { digestObjects, makeOlder } from '../helpers/older-store.js';
import { Person, PERSON, declarePersonIndexes } from '../helpers/models.js';
import { disagreements, openTestService, removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(removeDirectories);

type Open = Partial<UpgradeOptions> & { readonly readOnly?: boolean };

async function open(directory: string, options: Open = {}): Promise<ModelLifecycle> {
  return openOn(await openLmdb(directory, { readOnly: options.readOnly === true }), options);
}

function openOn(engine: Engine, options: Open = {}): Promise<ModelLifecycle> {
  return ModelLifecycle.open(engine, {
    now: () => Date.now(),
    owner: ownerName(),
    isAlive: isOwnerAlive,
    ...options,
  });
}

/** A store of format 4 with persons. */
async function olderStore(count: number): Promise<string> {
  const t = await openTestService();
  await t.register(Person, declarePersonIndexes);
  await t.service.batch(
    Array.from({ length: count }, (_, i) => ({
      verb: 'create' as const,
      resource: PERSON,
      object: { metadata: { name: `p${i}` }, spec: { age: i, nick: `n${i}` } },
    })),
  );
  await t.close();
  await makeOlder(t.directory);
  return t.directory;
}

async function withLifecycle<T>(
  opened: Promise<ModelLifecycle>,
  work: (l: ModelLifecycle) => Promise<T>,
): Promise<T> {
  const lifecycle = await opened;
  try {
    return await work(lifecycle);
  } finally {
    await lifecycle.store.close();
  }
}

async function formatOf(directory: string): Promise<unknown> {
  const engine = await openLmdb(directory, { readOnly: true });
  try {
    return await readFormat(engine);
  } finally {
    await engine.close();
  }
}

describe('a store of format 4', () => {
  it('is upgraded when it is opened: objects keep all they had, and get the time of their creation', async () => {
    const directory = await olderStore(1_200);
    const before = await digestObjects(directory);
    const progress: UpgradeProgress[] = [];
    const found = await withLifecycle(
      open(directory, { onUpgrade: (one) => progress.push(one), program: '0.1.0' }),
      ({ store }) => disagreements(store),
    );
    expect(found).toEqual([]);
    expect(await digestObjects(directory)).toEqual(before);
    expect(await formatOf(directory)).toEqual({ number: FORMAT, program: '0.1.0', upgrade: undefined });
    expect(progress[0]).toMatchObject({ from: 4, to: 5, done: 0, total: 1_200 });
    expect(progress.at(-1)).toMatchObject({ done: 1_200, total: 1_200 });
    const t = await openTestService(directory);
    await t.register(Person, declarePersonIndexes);
    const { metadata } = await t.service.get(PERSON, 'p7');
    expect(metadata.updateTimestamp).toBe(metadata.creationTimestamp);
    const selected = { fieldSelector: `metadata.updateTimestamp>=${metadata.creationTimestamp}`, size: 1 };
    expect((await t.service.list(PERSON, selected)).total).toBeGreaterThanOrEqual(1_193);
    const sorted = await t.service.list(PERSON, { sort: ['metadata.updateTimestamp'] });
    expect(sorted.items).toHaveLength(1_200);
    expect(await t.check()).toEqual([]);
    await t.close();
  });

  it('needs no work of a model afterwards: its catalogue is that of a new store', async () => {
    const directory = await olderStore(3);
    await withLifecycle(open(directory), async ({ store }) => {
      const fresh = await openTestService();
      await fresh.register(Person, declarePersonIndexes);
      const names = (s: typeof store): unknown =>
        s.findRecord(PERSON)?.indexes.map(({ name, fingerprint, state }) => ({ name, fingerprint, state }));
      expect(names(store)).toEqual(names(fresh.store));
      expect(store.findRecord(PERSON)?.resource).toEqual(fresh.store.findRecord(PERSON)?.resource);
      expect(store.findRecord(PERSON)?.builder).toBeUndefined();
      await fresh.close();
    });
  });

  it.each([0, 1, 2, 3, 4, 5])('is upgraded to the end after an interruption at commit %i', async (last) => {
    const directory = await olderStore(1_200);
    const before = await digestObjects(directory);
    const engine = await openLmdb(directory);
    await expect(openOn(failingAfter(engine, last + 1))).rejects.toThrow('interrupted');
    const found = await withLifecycle(open(directory), ({ store }) => disagreements(store));
    expect(found).toEqual([]);
    expect(await digestObjects(directory)).toEqual(before);
    expect(await formatOf(directory)).toMatchObject({ number: FORMAT, upgrade: undefined });
  });

  it('is read as it is, and not written, when it is opened for reading only', async () => {
    const directory = await olderStore(5);
    const file = path.join(directory, 'data.mdb');
    const bytes = readFileSync(file);
    await withLifecycle(open(directory, { readOnly: true }), async (lifecycle) => {
      expect(lifecycle.olderFormat).toBe(4);
      const models = new Models(lifecycle);
      models.openStored();
      const service = new Service({ store: lifecycle.store, models });
      const { metadata } = await service.get(PERSON, 'p3');
      expect(metadata.updateTimestamp).toBe(metadata.creationTimestamp);
      const { items } = await service.list(PERSON, { fieldSelector: 'spec.age>=3' });
      expect(items.map((item) => item.metadata.updateTimestamp)).toEqual(
        items.map((item) => item.metadata.creationTimestamp),
      );
      expect(await disagreements(lifecycle.store)).toEqual([]);
      const scheme = new SchemeRegistry().register(Person, 'test', declarePersonIndexes);
      expect(await lifecycle.scan(scheme)).toMatchObject({ objects: 5, invalid: 0 });
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('is refused with advice when upgrades are not wanted, and stays as it is', async () => {
    const directory = await olderStore(5);
    await expect(open(directory, { upgrade: 'never' })).rejects.toThrow(
      'the store has format 4, this version needs format 6; write a backup with `xsvc backup FILE`, then run ' +
        '`xsvc store upgrade`, or start the service with --upgrade auto',
    );
    expect(await formatOf(directory)).toEqual({ number: 4, program: undefined, upgrade: undefined });
  });

  it('is refused while a process of an older version serves it, unless that is taken over', async () => {
    const directory = await olderStore(5);
    const engine = await openLmdb(directory);
    await publishServedModels(engine, ownerName(), ['demo.example.com/Person']);
    await engine.close();
    await expect(open(directory)).rejects.toThrow(/serves the store with an older version of xsvc; stop it/);
    expect(await formatOf(directory)).toMatchObject({ number: 4 });
    await (await open(directory, { takeover: true })).store.close();
    expect(await formatOf(directory)).toMatchObject({ number: FORMAT });
  });

  it('is upgraded once when several processes open it at once', async () => {
    const directory = await olderStore(1_200);
    const progress: UpgradeProgress[][] = [[], [], []];
    // In one process, the opening of an engine must not wait for a commit of another one.
    const engines: Engine[] = [];
    for (const _ of progress) engines.push(await openLmdb(directory));
    const opened = await Promise.all(
      engines.map((engine, i) => openOn(engine, { onUpgrade: (one) => progress[i]?.push(one) })),
    );
    expect(progress.filter((shown) => shown.length > 0)).toHaveLength(1);
    const [first] = opened;
    expect(first && (await disagreements(first.store))).toEqual([]);
    for (const { store } of opened) await store.close();
  });

  it('has a plan with its upgrades, which changes nothing', async () => {
    const directory = await olderStore(2);
    const engine = await openLmdb(directory, { readOnly: true });
    const plan = await planUpgrade(engine, undefined);
    expect(plan).toMatchObject({ format: 4, isBegun: false, objects: 2, models: 1 });
    expect(plan.steps.map(({ from, to }) => [from, to])).toEqual([
      [4, 5],
      [5, 6],
    ]);
    await engine.close();
  });
});

it('a store of a newer format is refused, with the version that reads it', async () => {
  const directory = await olderStore(1);
  const engine = await openLmdb(directory);
  await engine.commit((tx) => tx.put(metaKey('format'), u48(FORMAT + 1)));
  await engine.close();
  for (const readOnly of [false, true])
    await expect(open(directory, { readOnly, program: '0.1.0' })).rejects.toThrow(
      'the store has format 7, this version (0.1.0) supports format 6; use a newer version of xsvc',
    );
  const again = await openLmdb(directory);
  await again.commit((tx) => tx.put(metaKey('program'), Buffer.from('0.2.0')));
  await again.close();
  await expect(open(directory)).rejects.toThrow('use xsvc 0.2.0 or newer');
});

it('a store that the version before wrote is upgraded, with its log and all its models', async () => {
  const dataDir = temporaryDirectory();
  const file = path.join(dataDir, 'data.mdb');
  const backup = gunzipSync(readFileSync(new URL('../fixtures/format-4.backup.gz', import.meta.url)));
  const { bytes, objects } = await receiveBackup(only(backup), file);
  truncateSync(file, bytes);
  expect(await formatOf(dataDir)).toMatchObject({ number: 4 });
  const before = await digestObjects(dataDir);
  expect(before.objects).toBe(objects);
  await withLifecycle(open(dataDir), async (lifecycle) => {
    expect(await disagreements(lifecycle.store)).toEqual([]);
    const models = new Models(lifecycle);
    models.openStored();
    const service = new Service({ store: lifecycle.store, models });
    const { items } = await service.history(STORED_PERSON, 'ada');
    expect(items.slice(0, 2).map(({ changes }) => changes.map(({ path: field }) => field))).toEqual([
      ['metadata.labels.changed'],
      ['metadata.labels.changed'],
    ]);
  });
  expect(await digestObjects(dataDir)).toEqual(before);
});

const STORED_PERSON = {
  group: 'demo.example.com',
  version: 'v1alpha1',
  kind: 'Person',
  plural: 'persons',
} as const;

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

/** The engine, whose commits fail from one on. */
function failingAfter(engine: Engine, commits: number): Engine {
  let left = commits;
  return {
    get: (...given) => engine.get(...given),
    follow: (...given) => engine.follow(...given),
    snapshot: (...given) => engine.snapshot(...given),
    commit(...given) {
      if (left-- <= 0) throw new Error('interrupted');
      return engine.commit(...given);
    },
    onOtherCommit: (listener) => engine.onOtherCommit(listener),
    writeProblem: () => engine.writeProblem(),
    countSetbacks: () => engine.countSetbacks(),
    clearDeadReaders: () => engine.clearDeadReaders(),
    sharedLog: () => engine.sharedLog(),
    foldLog: () => engine.foldLog(),
    close: () => engine.close(),
  };
}
