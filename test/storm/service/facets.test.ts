import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FacetCount } from '../../../src/list/facets/facets.js';
import type { BatchItem } from '../../../src/service/verbs.js';
import { cpuMs } from '../../helpers/cpu.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../../helpers/store.js';
import { byColorAndTags, Thing, thing, THING } from '../../store/helpers.js';

const VALUES = 1_000_000;
const TAGS = 200;
const OBJECTS = VALUES / TAGS;
const BATCH = 50;
const MIB = 2 ** 20;

let t: TestService;
beforeAll(async () => {
  t = await openTestService(temporaryDirectory());
  await t.register(Thing, byColorAndTags);
  const tag = (n: number): string => `tag-${String(n % VALUES).padStart(7, '0')}`;
  for (let at = 0; at < OBJECTS; at += BATCH) {
    const items = Array.from({ length: BATCH }, (_, i): BatchItem => {
      const own = Array.from({ length: TAGS }, (_none, n) => tag((at + i) * TAGS + n));
      // Every hundredth object also has the first tag of the next one; the last, that of the first.
      const more = (at + i) % 100 === 99 ? [tag((at + i + 1) * TAGS)] : [];
      return { verb: 'create', resource: THING, object: thing(`t${at + i}`, { tags: [...own, ...more] }) };
    });
    await t.service.batch(items);
  }
}, 600_000);
afterAll(async () => {
  await t.close();
  removeDirectories();
});

interface Measured {
  readonly counts: readonly FacetCount[] | undefined;
  readonly grownMiB: number;
  readonly longestMs: number;
}

/** @returns the facet, by how much memory grew at most, and for how much CPU time nobody else ran */
async function measure(facetLimit: number): Promise<Measured> {
  const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = used();
  let [most, longestMs, last] = [before, 0, cpuMs()];
  const ticks = setInterval(() => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    most = Math.max(most, used());
  }, 1);
  try {
    const { facets } = await t.service.list(THING, { size: 1, facets: 'spec.tags', facetLimit });
    return { counts: facets?.['spec.tags'], grownMiB: (most - before) / MIB, longestMs };
  } finally {
    clearInterval(ticks);
  }
}

describe(`a facet of ${VALUES} values`, () => {
  it('has the exact top in little memory while others run, read from the index and counted in memory', async () => {
    const twice = Array.from({ length: OBJECTS / 100 }, (_, i) => i * 100 * TAGS);
    const expected = (most: number): FacetCount[] => {
      const frequent = twice.slice(0, most).map((n) => ({ n, count: 2 }));
      const once = Array.from({ length: most }, (_, n) => ({ n, count: 1 })).filter(
        ({ n }) => n % (100 * TAGS) !== 0,
      );
      return [...frequent, ...once]
        .slice(0, most)
        .map(({ n, count }) => ({ value: `tag-${String(n).padStart(7, '0')}`, count }));
    };
    for (const most of [20, 100]) {
      const { counts, grownMiB, longestMs } = await measure(most);
      console.info(
        `top ${most}: ${grownMiB.toFixed(0)} MiB more, nobody else for ${longestMs.toFixed(0)} ms`,
      );
      expect(counts).toEqual(expected(most));
      expect(grownMiB).toBeLessThan(150);
      expect(longestMs).toBeLessThan(250);
      await t.service.listCaches.idle();
    }
  });
});
