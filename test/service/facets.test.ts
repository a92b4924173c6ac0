import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchItem } from '../../src/service/verbs.js';
import { PERSON, registerModels } from '../helpers/models.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';

const VALUES = 20_000;
const BATCH = 1_000;

let t: TestService;
beforeAll(async () => {
  t = await openTestService(temporaryDirectory());
  await registerModels(t);
  // Every hundredth value is there twice, every thousandth three times.
  const scores = Array.from({ length: VALUES }, (_, i) => [
    i,
    ...(i % 100 === 0 ? [i] : []),
    ...(i % 1_000 === 0 ? [i] : []),
  ]).flat();
  const items = scores.map((score, i): BatchItem => {
    const object = { metadata: { name: `p${i}` }, spec: { score, owner: `owner-${score}` } };
    return { verb: 'create', resource: PERSON, object };
  });
  for (let at = 0; at < items.length; at += BATCH) await t.service.batch(items.slice(at, at + BATCH));
}, 120_000);
afterAll(async () => {
  await t.close();
  removeDirectories();
});

describe(`facets of ${VALUES} different values`, () => {
  it('are the most frequent ones, ties in the order of the values', async () => {
    const { facets } = await t.service.list(PERSON, { size: 1, facets: 'spec.score', facetLimit: 25 });
    const thrice = Array.from({ length: 20 }, (_, i) => ({ value: i * 1_000, count: 3 }));
    const twice = Array.from({ length: 5 }, (_, i) => ({ value: (i + 1) * 100, count: 2 }));
    expect(facets).toEqual({ 'spec.score': [...thrice, ...twice] });
  });

  it('count the matches only', async () => {
    const options = { size: 1, filter: 'spec.score > 18500', facets: 'spec.owner,spec.score', facetLimit: 3 };
    const { facets } = await t.service.list(PERSON, options);
    expect(facets).toEqual({
      'spec.owner': [
        { value: 'owner-19000', count: 3 },
        { value: 'owner-18600', count: 2 },
        { value: 'owner-18700', count: 2 },
      ],
      'spec.score': [
        { value: 19_000, count: 3 },
        { value: 18_600, count: 2 },
        { value: 18_700, count: 2 },
      ],
    });
  });

  it('let others run meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await t.service.list(PERSON, { size: 1, facets: 'spec.score,spec.owner,name', filter: '!has(spec.age)' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });
});
