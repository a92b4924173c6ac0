import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { SILENT } from '../../src/lib/log/logger.js';
import type { ExtensionObject, OwnerReference } from '../../src/model/object.js';
import { ownerReference } from '../../src/model/owner-references.js';
import { Collector } from '../../src/owners/collector.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import { declarePersonIndexes, Person, PERSON, PET, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

afterAll(removeDirectories);

let t: TestService;
let stop: () => Promise<void>;

beforeEach(async () => {
  t = await openTestService();
  await registerModels(t);
  stop = () => Promise.resolve();
});

afterEach(async () => {
  await stop();
  expect(await t.check()).toEqual([]);
  await t.close();
});

function collect(): void {
  const ending = new AbortController();
  const running = new Collector(t.service, SILENT, ending.signal).run();
  stop = () => {
    ending.abort();
    return running;
  };
}

type Flags = Pick<OwnerReference, 'blockOwnerDeletion' | 'controller'>;

interface Given {
  readonly owners?: readonly (ExtensionObject | OwnerReference)[];
  readonly finalizers?: string[];
  readonly flags?: Flags;
}

async function person(name: string, given: Given = {}): Promise<ExtensionObject> {
  return (await t.service.create(PERSON, { metadata: metadataOf(name, given), spec: {} })).object;
}

async function pet(name: string, given: Given = {}): Promise<ExtensionObject> {
  const metadata = metadataOf(name, given);
  return (await t.service.create(PET, { metadata, spec: { species: 'cat' } })).object;
}

function metadataOf(name: string, { owners = [], finalizers, flags }: Given): object {
  const ownerReferences = owners.map((owner) => ('uid' in owner ? owner : ownerReference(owner, flags)));
  return {
    name,
    ...(ownerReferences.length > 0 && { ownerReferences }),
    ...(finalizers && { finalizers }),
  };
}

const namesOf = (model: ResourceRef): Promise<string[]> => t.service.listNames(model);
const metadata = async (model: ResourceRef, name: string): Promise<ExtensionObject['metadata']> =>
  (await t.service.get(model, name)).metadata;

/** Long enough for whatever the collector would do wrongly. */
async function settled(): Promise<void> {
  let before = -1;
  for (let same = 0; same < 3; same += 1) {
    await new Promise((resolve) => void setTimeout(resolve, 60));
    const revision = await t.store.revision();
    if (revision !== before) same = 0;
    before = revision;
  }
}

it('removes an object of another model when its owner is deleted, as somebody the log names', async () => {
  const ann = await person('ann');
  await pet('rex', { owners: [ann] });
  await pet('stray');
  collect();
  await t.service.delete(PERSON, 'ann');
  await expect.poll(() => namesOf(PET)).toEqual(['stray']);
  const { items } = await t.service.history(PET, 'rex');
  expect(items[0]).toMatchObject({ verb: 'delete', user: 'system:garbage-collector' });
});

it('keeps an object until the last of its owners is gone, and takes those that are gone out of it', async () => {
  const [ann, bob] = [await person('ann'), await person('bob')];
  await pet('rex', { owners: [ann, bob] });
  collect();
  await t.service.delete(PERSON, 'ann');
  const owners = async (): Promise<unknown> =>
    (await metadata(PET, 'rex')).ownerReferences?.map(({ name }) => name);
  await expect.poll(owners).toEqual(['bob']);
  await t.service.delete(PERSON, 'bob');
  await expect.poll(() => namesOf(PET)).toEqual([]);
});

it('takes an owner that was created again for another one', async () => {
  const ann = await person('ann');
  await pet('rex', { owners: [ann] });
  await t.service.delete(PERSON, 'ann');
  const again = await person('ann');
  await pet('tom', { owners: [again] });
  collect();
  await expect.poll(() => namesOf(PET)).toEqual(['tom']);
});

it.each<[string, (ann: ExtensionObject) => Partial<OwnerReference>]>([
  ['kind', () => ({ kind: 'Pet' })],
  ['group', () => ({ apiVersion: 'other.example.com/v1' })],
  ['name', () => ({ name: 'bob' })],
  ['uid', () => ({ uid: '00000000-0000-4000-8000-000000000000' })],
])('takes an owner of another %s for gone', async (_what, changed) => {
  const ann = await person('ann');
  await person('bob');
  const own = ownerReference(ann);
  await pet('rex', { owners: [{ ...own, ...changed(ann) }] });
  await pet('tom', { owners: [own] });
  collect();
  await expect.poll(() => namesOf(PET)).toEqual(['tom']);
});

it('finds an owner whatever version of its model the reference names', async () => {
  const ann = await person('ann');
  await pet('rex', { owners: [{ ...ownerReference(ann), apiVersion: 'demo.example.com/v9' }] });
  collect();
  await settled();
  expect(await namesOf(PET)).toEqual(['rex']);
});

it('removes what is created with an owner that is gone, and what is given one', async () => {
  const ann = await person('ann');
  await t.service.delete(PERSON, 'ann');
  collect();
  await settled();
  await pet('rex', { owners: [ownerReference(ann)] });
  await expect.poll(() => namesOf(PET)).toEqual([]);
  await pet('tom');
  await t.service.patch(PET, 'tom', { metadata: { ownerReferences: [ownerReference(ann)] } }, 'merge');
  await expect.poll(() => namesOf(PET)).toEqual([]);
});

it('removes a chain of owners, and more objects than it looks at in one go', async () => {
  const ann = await person('ann');
  const bob = await person('bob', { owners: [ann] });
  const items = Array.from({ length: 600 }, (_, i) => ({
    verb: 'create' as const,
    resource: PET,
    object: { metadata: metadataOf(`pet-${i}`, { owners: [bob] }), spec: { species: 'cat' } },
  }));
  await t.service.batch(items);
  collect();
  await t.service.delete(PERSON, 'ann');
  await expect.poll(() => t.service.count(PET)).toBe(0);
  expect(await namesOf(PERSON)).toEqual([]);
});

it('ends with circles of owners', async () => {
  const ann = await person('ann');
  const bob = await person('bob', { owners: [ann] });
  await t.service.patch(PERSON, 'ann', { metadata: { ownerReferences: [ownerReference(bob)] } }, 'merge');
  const cid = await person('cid');
  await t.service.patch(PERSON, 'cid', { metadata: { ownerReferences: [ownerReference(cid)] } }, 'merge');
  collect();
  await settled();
  expect(await namesOf(PERSON)).toEqual(['ann', 'bob', 'cid']);
  await t.service.delete(PERSON, 'ann');
  await t.service.delete(PERSON, 'cid');
  await expect.poll(() => namesOf(PERSON)).toEqual([]);
});

it('marks a dependent that has finalizers, and keeps its own dependents until it is gone', async () => {
  const ann = await person('ann');
  const bob = await person('bob', { owners: [ann], finalizers: ['example.com/hold'] });
  await pet('rex', { owners: [bob] });
  collect();
  await t.service.delete(PERSON, 'ann');
  await expect.poll(async () => (await metadata(PERSON, 'bob')).deletionTimestamp).toBeDefined();
  await settled();
  expect(await namesOf(PET)).toEqual(['rex']);
  await t.service.patch(PERSON, 'bob', { metadata: { finalizers: null } }, 'merge');
  await expect.poll(() => namesOf(PET)).toEqual([]);
});

it('does what was deleted before it began', async () => {
  const [ann, bob, cid] = [await person('ann'), await person('bob'), await person('cid')];
  for (const owner of [ann, bob, cid]) await pet(`of-${owner.metadata.name}`, { owners: [owner] });
  await t.service.delete(PERSON, 'ann');
  await t.service.delete(PERSON, 'bob', { propagationPolicy: 'Orphan' });
  await t.service.delete(PERSON, 'cid', { propagationPolicy: 'Foreground' });
  expect(await namesOf(PERSON)).toEqual(['bob', 'cid']);
  collect();
  await expect.poll(() => namesOf(PERSON)).toEqual([]);
  await expect.poll(() => namesOf(PET)).toEqual(['of-bob']);
});

it('goes on where the log no longer tells what happened', async () => {
  const ann = await person('ann');
  await pet('rex', { owners: [ann] });
  await t.service.delete(PERSON, 'ann');
  await t.store.history.trim({ count: 0, ageMs: 0, bytesMax: 0 });
  collect();
  await expect.poll(() => namesOf(PET)).toEqual([]);
});

it('orphans: the owner goes when nobody names it any more, and other owners stay', async () => {
  const [ann, bob] = [await person('ann'), await person('bob')];
  await pet('rex', { owners: [ann] });
  await pet('tom', { owners: [ann, bob] });
  collect();
  const { object } = await t.service.delete(PERSON, 'ann', { propagationPolicy: 'Orphan' });
  expect(object.metadata.finalizers).toEqual(['orphan']);
  await expect.poll(() => namesOf(PERSON)).toEqual(['bob']);
  expect(await namesOf(PET)).toEqual(['rex', 'tom']);
  expect(await metadata(PET, 'rex')).not.toHaveProperty('ownerReferences');
  expect((await metadata(PET, 'tom')).ownerReferences).toEqual([ownerReference(bob)]);
});

it('in the foreground the owner goes after those that block it, which go after theirs', async () => {
  const ann = await person('ann');
  const flags = { blockOwnerDeletion: true };
  const bob = await person('bob', { owners: [ann], flags });
  await pet('rex', { owners: [bob], flags, finalizers: ['example.com/hold'] });
  await pet('tom', { owners: [ann], finalizers: ['example.com/hold'] });
  collect();
  await t.service.delete(PERSON, 'ann', { propagationPolicy: 'Foreground' });
  const isMarked = async (name: string): Promise<boolean> =>
    (await metadata(PET, name)).deletionTimestamp !== undefined;
  await expect.poll(() => isMarked('rex')).toBe(true);
  await expect.poll(() => isMarked('tom')).toBe(true);
  await settled();
  expect(await namesOf(PERSON)).toEqual(['ann', 'bob']);
  await t.service.patch(PET, 'rex', { metadata: { finalizers: null } }, 'merge');
  await expect.poll(() => namesOf(PERSON)).toEqual([]);
  expect(await namesOf(PET)).toEqual(['tom']);
  const deletions: string[] = [];
  for (const [model, name] of [
    [PET, 'rex'],
    [PERSON, 'bob'],
    [PERSON, 'ann'],
  ] as const)
    deletions.push((await t.service.history(model, name)).items[0]?.resourceVersion ?? '');
  expect(deletions.map(Number)).toEqual(deletions.map(Number).sort((a, b) => a - b));
});

it('in the foreground a dependent with another owner stays, without the one that is deleted', async () => {
  const [ann, bob] = [await person('ann'), await person('bob')];
  await pet('rex', { owners: [ann, bob], flags: { blockOwnerDeletion: true } });
  collect();
  await t.service.delete(PERSON, 'ann', { propagationPolicy: 'Foreground' });
  await expect.poll(() => namesOf(PERSON)).toEqual(['bob']);
  expect((await metadata(PET, 'rex')).ownerReferences?.map(({ name }) => name)).toEqual(['bob']);
});

it('in the foreground circles end too, also when all of them are deleted at once', async () => {
  const flags = { blockOwnerDeletion: true };
  const ann = await person('ann');
  const bob = await person('bob', { owners: [ann], flags });
  const cid = await person('cid', { owners: [bob], flags });
  const patch = { metadata: { ownerReferences: [ownerReference(cid, flags), ownerReference(ann, flags)] } };
  await t.service.patch(PERSON, 'ann', patch, 'merge');
  for (const name of ['ann', 'bob', 'cid'])
    await t.service.delete(PERSON, name, { propagationPolicy: 'Foreground' });
  collect();
  await expect.poll(() => namesOf(PERSON)).toEqual([]);
});

it('an owner does not wait any more for a dependent that somebody takes from it', async () => {
  const ann = await person('ann');
  await pet('rex', { owners: [ann], flags: { blockOwnerDeletion: true }, finalizers: ['example.com/hold'] });
  collect();
  await t.service.delete(PERSON, 'ann', { propagationPolicy: 'Foreground' });
  await expect.poll(async () => (await metadata(PET, 'rex')).deletionTimestamp).toBeDefined();
  await t.service.patch(PET, 'rex', { metadata: { ownerReferences: null } }, 'merge');
  await expect.poll(() => namesOf(PERSON)).toEqual([]);
});

it('leaves objects of a model whose code is not there, and looks at them when it is', async () => {
  const rex = await pet('rex');
  await pet('tom', { owners: [await person('ann')] });
  await person('bob', { owners: [rex] });
  const { resource } = t.registry.getScheme(Person);
  t.service.models.close(resource);
  t.registry.unregister(Person);
  collect();
  await t.service.delete(PET, 'rex');
  await settled();
  expect(await t.store.getCount(resource)).toBe(2);
  expect(await namesOf(PET)).toEqual(['tom']);
  await t.register(Person, declarePersonIndexes);
  await expect.poll(() => namesOf(PERSON)).toEqual(['ann']);
});
