import { afterEach, expect, it } from 'vitest';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { FAMILY } from '../../src/store/index/keys.js';
import { byBeats } from '../../src/cluster/lease.js';
import { ReadyObject } from '../../src/store/ready-object.js';
import { openReplicated } from '../../src/engines/replicated/engine.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import { MemoryLog, MemoryServer } from '../engines/memory-log.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { byColor, scanAll, stamped, Thing, THING } from '../store/helpers.js';

const LEASE_MS = 4_000;
const opened: ModelLifecycle[] = [];
afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close();
  removeDirectories();
});

/** A program on a separate machine: it cannot see whether other programs run. */
async function start(server: MemoryServer, owner: string): Promise<ModelLifecycle> {
  const engine = await openReplicated(new MemoryLog(server), temporaryDirectory());
  const options = { now: Date.now, owner, isAlive: () => true, holdsModels: true };
  const lifecycle = await ModelLifecycle.open(engine, { ...options, liveness: byBeats(LEASE_MS) });
  opened.push(lifecycle);
  return lifecycle;
}

const bySize: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Thing, number>('spec.size', 'integer').indexFunc((thing) => thing.spec.size));
};

async function attach(lifecycle: ModelLifecycle, declare: DeclareIndexes): Promise<void> {
  await lifecycle.attach(new SchemeRegistry().register(Thing, 'test', declare));
}

/** Of a model without objects any declaration may be changed. */
async function fill({ store }: ModelLifecycle): Promise<void> {
  const table = store.findTable(THING);
  if (table === undefined) throw new Error('the model is not attached');
  await store.commit((tx) => tx.insert(new ReadyObject(table, stamped('one', tx.nextRevision))));
}

it('a process on another machine that serves a model is asked, and keeps its declaration while it lives', async () => {
  const server = new MemoryServer();
  const [a, b] = [await start(server, 'host-a/1'), await start(server, 'host-b/1')];
  await attach(a, byColor);
  await fill(a);
  await attach(b, byColor);
  await expect(attach(b, bySize)).rejects.toThrow(
    'process 1 on host-a serves Thing with another declaration',
  );
});

it('one that was killed does not answer, and is forgotten', async () => {
  const server = new MemoryServer();
  const [a, b] = [await start(server, 'host-a/1'), await start(server, 'host-b/1')];
  await attach(a, byColor);
  await fill(a);
  // It says nothing any more.
  opened.splice(opened.indexOf(a), 1);
  await a.store.engine.close();
  await attach(b, bySize);
  expect(b.store.findTable(THING)?.indexes.map(({ name }) => name)).toContain('spec.size');
  const leases = await scanAll(b.store.engine, {
    start: Buffer.from([FAMILY.LEASE]),
    end: Buffer.from([FAMILY.LEASE + 1]),
  });
  expect(leases.map(({ key }) => key.toString('latin1', 1))).not.toContain('process/host-a/1');
});

it('one that ends in order leaves nothing behind', async () => {
  const server = new MemoryServer();
  const [a, b] = [await start(server, 'host-a/1'), await start(server, 'host-b/1')];
  await attach(a, byColor);
  await fill(a);
  opened.splice(opened.indexOf(a), 1);
  await a.store.close();
  const leases = await scanAll(b.store.engine, {
    start: Buffer.from([FAMILY.LEASE]),
    end: Buffer.from([FAMILY.LEASE + 1]),
  });
  expect(leases.map(({ key }) => key.toString('latin1', 1))).not.toContain('process/host-a/1');
});
