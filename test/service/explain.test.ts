import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSON, registerModels } from '../helpers/models.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { person } from '../suites/verbs-helpers.js';

let t: TestService;
beforeAll(async () => {
  t = await openTestService(temporaryDirectory(), { cacheThresholdEntries: 500 });
  await registerModels(t);
  const objects = Array.from({ length: 3_000 }, (_, i) => ({
    ...person(`p${String(i).padStart(4, '0')}`, { age: i % 50 }),
  }));
  await t.service.batch(objects.map((object) => ({ verb: 'create', resource: PERSON, object })));
});
afterAll(async () => {
  await t.close();
  removeDirectories();
});

describe('an explained list', () => {
  it('walks the index of its order when all match, and reads no more than the page', async () => {
    const found = await t.service.explain(PERSON, { sort: 'spec.age,desc', size: 10 });
    expect(found).toMatchObject({
      method: 'walk',
      index: 'spec.age',
      direction: 'desc',
      sorts: false,
      total: 3_000,
      objectsRead: 10,
      recordsRead: 0,
      condition: 'every object',
    });
    expect(found.entriesRead).toBeLessThan(100);
  });

  it('says which filters were read from the index and which are in memory, and why others lost', async () => {
    const options = { fieldSelector: 'spec.age=7', sort: 'metadata.name', size: 5 };
    const first = await t.service.explain(PERSON, options);
    expect(first.filters).toEqual([{ condition: 'spec.age = 7', from: 'index', matches: 60 }]);
    const second = await t.service.explain(PERSON, options);
    expect(second.filters).toEqual([{ condition: 'spec.age = 7', from: 'memory', matches: 60 }]);
    expect(second.alternatives.map(({ method }) => method).sort()).toHaveLength(2);
    expect(second.alternatives.every(({ reason }) => reason.length > 10)).toBe(true);
  });

  it('sorts when no single index has the order', async () => {
    const found = await t.service.explain(PERSON, {
      sort: ['spec.age', 'metadata.creationTimestamp'],
      size: 5,
    });
    expect(found).toMatchObject({ method: 'sort', sorts: true, index: null });
    // Groups of the first field are put in order one after the other, until the page is full.
    expect(found.recordsRead).toBeLessThan(1_500);
  });

  it('takes a deep page from an order in memory, once it was read', async () => {
    const options = { sort: 'spec.age,asc', page: 200, size: 10 };
    expect((await t.service.explain(PERSON, options)).method).toBe('walk');
    await t.service.listCaches.idle();
    const found = await t.service.explain(PERSON, options);
    expect(found).toMatchObject({ method: 'ranks', entriesRead: 0, recordsRead: 0, objectsRead: 10 });
  });

  it('follows changes of other fields without reading the order again, and notices changes of its field', async () => {
    const options = { sort: 'spec.age,asc', page: 200, size: 10 };
    await t.service.explain(PERSON, options);
    await t.service.listCaches.idle();
    await t.service.patch(
      PERSON,
      'p0001',
      { metadata: { annotations: { 'a.example.com/b': 'c' } } },
      'merge',
    );
    expect((await t.service.explain(PERSON, options)).method).toBe('ranks');
    await t.service.patch(PERSON, 'p0001', { spec: { age: 49 } }, 'merge');
    expect((await t.service.explain(PERSON, options)).method).toBe('walk');
  });
});
