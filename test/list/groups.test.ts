import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

const MODEL = { group: 'groups.example.com', version: 'v1', kind: 'Pair', plural: 'pairs', singular: 'pair' };
const BY_BOTH = { groupBy: ['spec.left', 'spec.right'], aggregates: ['count'] };

@GVK(MODEL)
class Pair extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  declare spec: { readonly left: string[]; readonly right: string[] };
}

function texts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `v${i}`);
}

describe('groups by two fields of many values', () => {
  let t: TestService;
  const create = (name: string, values: number): Promise<unknown> =>
    t.service.create(MODEL, {
      metadata: { name, labels: { values: String(values) } },
      spec: { left: texts(values), right: texts(values) },
    });
  beforeAll(async () => {
    t = await openTestService();
    await t.register(Pair, (specs) => {
      specs.add(IndexSpecs.multi<Pair>('spec.left', 'string').indexFunc(({ spec }) => spec.left));
      specs.add(IndexSpecs.multi<Pair>('spec.right', 'string').indexFunc(({ spec }) => spec.right));
    });
    for (let i = 0; i < 30; i++) await create(`some-${i}`, 50);
    await create('many', 1_001);
  });
  afterAll(async () => {
    await t.close();
    removeDirectories();
  });

  it('have each combination once, however many objects have it', async () => {
    const { groups = [], groupsTotal } = await t.service.list(MODEL, {
      ...BY_BOTH,
      labelSelector: 'values=50',
      groupLimit: 5_000,
    });
    expect(groupsTotal).toBe(2_500);
    expect(groups.length).toBe(2_500);
    expect(new Set(groups.map(({ count }) => count))).toEqual(new Set([30]));
  });

  it('are refused when there are more than a million', async () => {
    await expect(t.service.list(MODEL, BY_BOTH)).rejects.toMatchObject({
      code: 'RequestEntityTooLarge',
      message: expect.stringContaining('more than 1000000 groups') as string,
    });
  });
});
