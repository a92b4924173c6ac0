import { afterAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.js';
import { ListCache } from '../../src/http/answer/list/list-cache.js';
import { wholeJson } from '../../src/http/answer/list/list-writer.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { LongObjects } from '../../src/service/read/listed-objects.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { randomFilter } from './filters.js';
import { randomDraft, randomName, randomRequest } from './generate.js';
import { FIELDS } from './naive.js';
import { byColor, byColorAndTags, Thing, thing, THING } from '../store/helpers.js';

afterAll(removeDirectories);

const seed = seedOfRun();
const QUESTIONS = 30;

/** A page, mostly a small one in the middle of an order. */
function randomPage(random: Random): ListOptions {
  const { sort } = randomRequest(random).options;
  const filter = random.chance(0.6) ? randomFilter(random).text : undefined;
  const facets = random.chance(0.2) ? [random.pick(FIELDS).name] : [];
  const groups = random.chance(0.2) && {
    aggregates: 'sum(spec.score),max(spec.age)',
    groupBy: random.pick(FIELDS).name,
  };
  const part = random.chance(0.3)
    ? { limit: 1 + random.below(10) }
    : { page: 1 + random.below(4), size: 1 + random.below(10) };
  return { ...(sort && { sort }), ...(filter !== undefined && { filter }), facets, ...groups, ...part };
}

async function answer(t: TestService, options: ListOptions, keep: boolean) {
  const list = await t.service.listRaw(PERSON, options, { keep });
  if (list.objects instanceof LongObjects) throw new Error('the page is too long');
  return { ...list, body: wholeJson(list, list.objects.flat()) };
}

async function write(t: TestService, random: Random, names: number): Promise<void> {
  const name = randomName(random, names);
  const { total } = await t.service.list(PERSON, { fieldSelector: `metadata.name=${name}` });
  if (total === 0) await t.service.create(PERSON, randomDraft(random, name));
  else if (random.chance(0.2)) await t.service.delete(PERSON, name);
  else if (random.chance(0.5)) await t.service.update(PERSON, name, randomDraft(random, name));
  else {
    const labels = { tier: random.pick(['a', 'b', 'gold']) };
    await t.service.patch(PERSON, name, { metadata: { labels } }, 'merge');
  }
}

describe(`a kept page is the same as a new one (SEED=${seed})`, () => {
  it.each([
    { names: 20, rounds: 200 },
    { names: 400, rounds: 200 },
  ])('among $names names, after writes of two processes', async ({ names, rounds }) => {
    const random = new Random(seed);
    const t = await openTestService(temporaryDirectory());
    const other = await openTestService(t.directory);
    try {
      await registerModels(t);
      await registerModels(other);
      const first = new Set(Array.from({ length: names }, () => randomName(random, names)));
      await t.service.batch(
        [...first].map((name) => ({ verb: 'create', resource: PERSON, object: randomDraft(random, name) })),
      );
      let renewed = 0;
      const lists = new ListCache(t.service.cacheBudget, async (page) => {
        const found = await t.service.renewPage(page);
        if (found !== undefined) renewed++;
        return found;
      });
      const questions = Array.from({ length: QUESTIONS }, () => randomPage(random));
      for (let round = 0; round < rounds; round++) {
        for (let i = random.below(3); i > 0; i--) await write(random.pick([t, other]), random, names);
        const options = random.pick(questions);
        const key = JSON.stringify(options);
        const fresh = await answer(t, options, true);
        const kept = await lists.find(key, await t.service.store.stamp());
        if (kept !== undefined)
          expect(kept.toString(), `SEED=${seed}, round ${round}: ${key}`).toBe(fresh.body.toString());
        else if (fresh.kept !== undefined)
          lists.put(key, { page: fresh.kept, stamp: fresh.stamp, body: fresh.body });
      }
      expect(renewed).toBeGreaterThan(0);
    } finally {
      await t.close();
      await other.close();
    }
  });

  it('while 20 writers of two processes write', async () => {
    const random = new Random(seed);
    const t = await openTestService(temporaryDirectory());
    const other = await openTestService(t.directory);
    let isOver = false;
    try {
      await registerModels(t);
      await registerModels(other);
      const lists = new ListCache(t.service.cacheBudget, (page) => t.service.renewPage(page));
      const questions = Array.from({ length: QUESTIONS }, () => randomPage(random));
      const writers = Array.from({ length: 20 }, async (_, i) => {
        const own = new Random(seed + i);
        while (!isOver) {
          // Writers may create or delete the same object.
          await write(own.pick([t, other]), own, 200).catch(expectServiceError);
          await sleep(own.below(100));
        }
      });
      /** New pages by question and revision. */
      const seen = new Map<string, string>();
      let compared = 0;
      for (let round = 0; round < 5_000 && compared < 100; round++) {
        const options = random.pick(questions);
        const key = JSON.stringify(options);
        const kept = (await lists.find(key, await t.service.store.stamp()))?.toString();
        const fresh = await answer(t, options, true);
        seen.set(`${key} ${versionOf(fresh.body.toString())}`, fresh.body.toString());
        const same = kept === undefined ? undefined : seen.get(`${key} ${versionOf(kept)}`);
        if (same !== undefined) {
          compared++;
          expect(kept, `round ${round}: ${key}`).toBe(same);
        }
        if (fresh.kept !== undefined)
          lists.put(key, { page: fresh.kept, stamp: fresh.stamp, body: fresh.body });
      }
      isOver = true;
      await Promise.all(writers);
      expect(compared).toBeGreaterThan(0);
    } finally {
      isOver = true;
      await t.close();
      await other.close();
    }
  });

  it('after another process has built an index of the model', async () => {
    const directory = temporaryDirectory();
    const t = await openTestService(directory);
    try {
      await t.register(Thing, byColor);
      for (const [i, color] of ['red', 'green', 'blue', 'red'].entries())
        await t.service.create(THING, thing(`t${i}`, { color, tags: [color] }));
      const lists = new ListCache(t.service.cacheBudget, (page) => t.service.renewPage(page));
      const options = { sort: 'spec.color', page: 1, size: 3 };
      const read = async () => t.service.listRaw(THING, options, { keep: true });
      const first = await read();
      if (first.kept === undefined || first.objects instanceof LongObjects)
        throw new Error('nothing was kept');
      lists.put('q', { page: first.kept, stamp: first.stamp, body: wholeJson(first, first.objects.flat()) });
      const other = await openTestService(directory);
      await other.register(Thing, byColorAndTags, { attach: { takeover: true } });
      await other.close();
      const kept = await lists.find('q', await t.service.store.stamp());
      const fresh = await read();
      if (fresh.objects instanceof LongObjects) throw new Error('the page is too long');
      if (kept !== undefined) expect(kept.toString()).toBe(wholeJson(fresh, fresh.objects.flat()).toString());
    } finally {
      await t.close();
    }
  });
});

/** The resource version of a list. */
function versionOf(body: string): string {
  return /"resourceVersion":"(\d+)"/.exec(body)?.[1] ?? '';
}

function expectServiceError(error: unknown): void {
  expect(error).toBeInstanceOf(ServiceError);
}
