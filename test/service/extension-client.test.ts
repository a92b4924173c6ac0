import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Queries } from '../../src/query/condition-builders.js';
import type { ClientBatchItem, ExtensionClient } from '../../src/service/extension-client.js';
import { PluginClients } from '../../src/daemon/plugin-clients.js';
import { Person, PERSON, Pet, registerModels, type PersonSpec } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { expectCode, refusedFields } from '../suites/verbs-helpers.js';

const MODEL = { group: PERSON.group, version: PERSON.version, kind: PERSON.kind };

let t: TestService;
let client: ExtensionClient;
beforeEach(async () => {
  t = await openTestService();
  await registerModels(t);
  client = new PluginClients({ service: t.service, schemes: t.registry }).clientOfTest();
  const people = { ann: 30, bob: 40, cid: 20, dan: 30 };
  await client.batch(
    Object.entries(people).map(([name, age]) => ({ verb: 'create', object: newPerson(name, { age }) })),
  );
});
afterEach(async () => {
  await t.close();
  removeDirectories();
});

function newPerson(name: string, spec: PersonSpec = {}, labels: Record<string, string> = {}): Person {
  return Object.assign(new Person(), { metadata: { name, labels }, spec });
}

function newPet(name: string, chip: string): Pet {
  // As an author writes it: what the service sets need not be there.
  const made = new Pet();
  made.metadata = { name };
  return Object.assign(made, { spec: { species: 'cat', chip } });
}

function namesOf(objects: readonly Person[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}

describe('the client of a plugin', () => {
  it('creates an object of a model from its parts', async () => {
    const eve = await client.create(Person, { metadata: { name: 'eve' }, spec: { age: 50 } });
    expect(eve).toBeInstanceOf(Person);
    expect(eve).toMatchObject({ kind: 'Person', metadata: { name: 'eve', version: 0 }, spec: { age: 50 } });
    const some = await client.create(MODEL, { metadata: { generateName: 'some-' }, spec: { age: 51 } });
    expect(some.metadata.name).toMatch(/^some-[a-z0-9]{5,}$/);
    await expectCode('AlreadyExists', client.create(Person, { metadata: { name: 'eve' }, spec: {} }));
  });

  it('lists the first matches in the order asked for, as instances', async () => {
    const top = await client.listTop(Person, 3, { sort: 'spec.age,desc' });
    expect(namesOf(top)).toEqual(['bob', 'ann', 'dan']);
    expect(top.every((object) => object instanceof Person)).toBe(true);
    expect(namesOf(await client.listTop(Person, 2))).toEqual(['ann', 'bob']);
    const query = Queries.lessThan('spec.age', 40);
    expect(namesOf(await client.listTop(Person, 9, { query, sort: 'spec.age,asc' }))).toEqual([
      'cid',
      'ann',
      'dan',
    ]);
    expect(await client.listTop(Person, 0)).toEqual([]);
    expect(await client.listTop(Pet, 5)).toEqual([]);
  });

  it.each([-1, 1.5, NaN, Infinity])('refuses to list the first %s', async (n) => {
    await expectCode('BadRequest', client.listTop(Person, n));
  });

  it('gives plain objects where the model is named by group, version and kind', async () => {
    const [top] = await client.listTop<Person>(MODEL, 1);
    expect(top).toMatchObject({ kind: 'Person', metadata: { name: 'ann' } });
    expect(top).not.toBeInstanceOf(Person);
  });

  it('lists names and counts', async () => {
    const fieldSelector = 'spec.age=30';
    expect(await client.listNames(Person, { sort: 'spec.age,asc' })).toEqual(['cid', 'ann', 'dan', 'bob']);
    expect(await client.listNames(Person, { fieldSelector })).toEqual(['ann', 'dan']);
    expect(await client.count(Person, { fieldSelector })).toBe(2);
    expect(await client.count(Person)).toBe(4);
    expect(await client.count(Pet)).toBe(0);
  });

  it('reads every match, as instances', async () => {
    const found: Person[] = [];
    for await (const object of client.listAll(Person, { fieldSelector: 'spec.age!=30' })) found.push(object);
    expect(namesOf(found)).toEqual(['bob', 'cid']);
    expect(found.every((object) => object instanceof Person)).toBe(true);
  });

  it('fetches an instance, or undefined where there is none', async () => {
    const ann = await client.fetch(Person, 'ann');
    expect(ann).toBeInstanceOf(Person);
    expect(ann?.spec.age).toBe(30);
    expect(await client.fetch(Person, 'nobody')).toBeUndefined();
    await expectCode('NotFound', client.get(Person, 'nobody'));
  });

  it('commits a batch of several models at one moment, and gives instances', async () => {
    const bob = await client.get(Person, 'bob');
    const answers = await client.batch([
      { verb: 'create', object: newPet('rex', 'c1') },
      { verb: 'patch', model: Person, name: 'ann', patch: { spec: { age: 31 } } },
      { verb: 'update', object: Object.assign(bob, { spec: { age: 41 } }) },
      { verb: 'delete', object: await client.get(Person, 'cid') },
    ]);
    expect(answers.map((object) => object.constructor)).toEqual([Pet, Person, Person, Person]);
    const [rex, ann] = [await client.get(Pet, 'rex'), await client.get(Person, 'ann')];
    expect(ann).toMatchObject({ spec: { age: 31 } });
    expect(Number(ann.metadata.resourceVersion)).toBe(Number(rex.metadata.resourceVersion) + 1);
    expect(await client.fetch(Person, 'cid')).toBeUndefined();
  });

  it('takes items of a batch as they are over HTTP', async () => {
    const person = { apiVersion: 'demo.example.com/v1', kind: 'Person' };
    const patch = [{ op: 'replace', path: '/spec/age', value: 32 }];
    const answers = await client.batch([
      { verb: 'patch', ...person, name: 'ann', patch, contentType: 'application/json-patch+json' },
      { verb: 'patch', ...person, name: 'bob', patch: { spec: { age: 42 } } },
      { verb: 'delete', ...person, name: 'cid' },
    ]);
    expect(answers).toMatchObject([{ spec: { age: 32 } }, { spec: { age: 42 } }, { kind: 'Person' }]);
    expect(await client.fetch(Person, 'cid')).toBeUndefined();
    const unknown = { verb: 'replace', object: answers[0] } as unknown as ClientBatchItem;
    await expectCode('BadRequest', client.batch([unknown]));
  });

  it('commits nothing of a batch with a fault', async () => {
    const items = [newPet('rex', 'c1'), newPet('tom', 'c1')].map(
      (object) => ({ verb: 'create', object }) as const,
    );
    const fields = await refusedFields('AlreadyExists', client.batch(items));
    expect(fields).toEqual(['items[1].spec.chip']);
    expect(await client.count(Pet)).toBe(0);
  });

  it('is refused label and annotation keys that are not for plugins', async () => {
    const reserved = newPerson('eve', {}, { team: 'a' });
    for (const write of [
      () => client.create(reserved),
      () => client.batch([{ verb: 'create', object: reserved }]),
      () => client.patch(Person, 'ann', { metadata: { annotations: { 'platform.run/note': 'a' } } }),
    ]) {
      const [field, ...others] = await refusedFields('Invalid', write());
      expect(field).toMatch(/metadata\.(labels|annotations)/);
      expect(others).toEqual([]);
    }
    expect(await client.count(Person)).toBe(4);
    const own = await client.create(newPerson('eve', {}, { 'example.com/team': 'a' }));
    expect(own).toBeInstanceOf(Person);
  });

  it('counts values of fields', async () => {
    const { facets } = await client.list(Person, { size: 1, facets: 'spec.age', facetLimit: 1 });
    const [first] = facets?.['spec.age'] ?? [];
    const { total } = await client.list(Person, { fieldSelector: `spec.age=${first?.value}` });
    expect([first?.count, total > 0]).toEqual([total, true]);
  });
});
