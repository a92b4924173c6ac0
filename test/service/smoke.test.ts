import { afterAll, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/extension.js';
import { GVK } from '../../src/model/gvk.js';
import { IndexSpecs } from '../../src/model/index-spec.js';
import { openTestService, removeDirectories } from '../helpers/store.js';

afterAll(removeDirectories);

@GVK({ group: 'demo.example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })
class Thing extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } },
    },
  };
  declare spec: { color?: string; size?: number; tags?: string[] };
}

it('works end to end', async () => {
  const t = await openTestService();
  await t.register(Thing, (specs) => {
    specs.add(IndexSpecs.single<Thing, string>('spec.color', 'string').indexFunc((o) => o.spec.color));
    specs.add(IndexSpecs.single<Thing, number>('spec.size', 'integer').indexFunc((o) => o.spec.size));
    specs.add(IndexSpecs.multi<Thing, string>('spec.tags', 'string').indexFunc((o) => o.spec.tags ?? []));
  });
  const [ref] = await t.service.resources();
  if (ref === undefined) throw new Error('no resource');
  for (let i = 0; i < 30; i++) {
    await t.service.create(ref, {
      metadata: { name: `t${i}`, labels: { parity: i % 2 ? 'odd' : 'even' } },
      spec: { color: ['red', 'green', 'blue'][i % 3], size: i, tags: [`a${i % 4}`, `b${i % 5}`] },
    });
  }
  const page = await t.service.list(ref, {
    fieldSelector: 'spec.color=red',
    labelSelector: 'parity=even',
    sort: 'spec.size,desc',
    size: 2,
  });
  expect(page.total).toBe(5);
  expect(page.items.map((i) => i.metadata.name)).toEqual(['t24', 't18']);
  await t.service.patch(ref, 't24', { spec: { size: 1000 } }, 'merge');
  await t.service.delete(ref, 't18');
  expect((await t.service.list(ref, { sort: 'spec.size,desc', size: 1 })).items[0]?.metadata).toMatchObject({
    name: 't24',
    version: 1,
    generation: 2,
  });
  expect((await t.service.list(ref, { sort: 'spec.tags,desc' })).total).toBe(29);
  expect(await t.check()).toEqual([]);
  await t.close();
});
