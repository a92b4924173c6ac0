import { expect } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import type { BatchItem } from '../../src/service/verbs.js';
import { ALL } from '../../src/query/condition.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { Random } from '../helpers/seed.js';
import type { ListCacheOptions } from '../../src/list/cache.js';
import { openTestService, temporaryDirectory, type TestService } from '../helpers/store.js';
import { randomDraft, randomName, randomRequest, type RandomRequest } from './generate.js';
import { randomFilter, type RandomFilter } from './filters.js';
import { checkFacets } from './facets.js';
import { holds, sorted } from './naive.js';

export interface ListsRun {
  readonly seed: number;
  /** Number of names to choose from, which is the maximum number of objects. */
  readonly names: number;
  /** Number of objects that are stored at first. */
  readonly objects: number;
  readonly lists: number;
  /** Limits of the caches of lists; by default as in the program. */
  readonly listCaches?: ListCacheOptions;
  /** Share of the lists that have a filter, from 0 to 1. Default 0.3. */
  readonly filtered?: number;
}

/** A list as it is asked for, with a filter or without. */
interface Asked extends RandomRequest {
  readonly filter: RandomFilter | undefined;
}

/** Stores random objects, then asks random lists between random writes and compares each with its definition. */
export async function checkLists(run: ListsRun): Promise<void> {
  const { seed, names, objects, lists, listCaches, filtered = 0.3 } = run;
  const random = new Random(seed);
  const t = await openTestService(temporaryDirectory(), listCaches);
  // Another program on the same store, so that lists follow writes they have not made.
  const other = await openTestService(t.directory);
  try {
    await registerModels(t);
    await registerModels(other);
    const known = await fill(t, random, names, objects);
    for (let i = 0; i < lists; i++) {
      if (random.chance(0.15)) await write(random.pick([t, other]), random, names, known);
      if (random.chance(0.02)) await t.store.history.trim({ count: random.below(5), ageMs: -60_000 });
      const request = asked(random, filtered);
      const where = `SEED=${seed}, list ${i} of ${names} names`;
      await checkList(t, known, request, where);
      if (random.chance(0.3)) {
        const matches = [...known.values()].filter((object) => isMatch(request, object));
        await checkFacets(t.service, request.options, matches, random, `${where}: ${shown(request)}`);
      }
      if (random.chance(0.3)) await checkWalk(t, known, request, 1 + random.below(names), where);
    }
    expect(await t.check()).toEqual([]);
  } finally {
    await t.close();
    await other.close();
  }
}

type Known = Map<string, ExtensionObject>;

async function fill(t: TestService, random: Random, names: number, objects: number): Promise<Known> {
  const chosen = [...new Set(Array.from({ length: objects }, () => randomName(random, names)))];
  const items = chosen.map((name): BatchItem => {
    return { verb: 'create', resource: PERSON, object: randomDraft(random, name) };
  });
  const known: Known = new Map();
  if (items.length === 0) return known;
  for (const { object } of (await t.service.batch(items)).items) known.set(object.metadata.name, object);
  return known;
}

async function write(t: TestService, random: Random, names: number, known: Known): Promise<void> {
  const name = randomName(random, names);
  if (!known.has(name)) {
    known.set(name, (await t.service.create(PERSON, randomDraft(random, name))).object);
  } else if (random.chance(0.4)) {
    await t.service.delete(PERSON, name);
    known.delete(name);
  } else {
    known.set(name, (await t.service.update(PERSON, name, randomDraft(random, name))).object);
  }
}

function asked(random: Random, filtered: number): Asked {
  const request = randomRequest(random);
  if (!random.chance(filtered)) return { ...request, filter: undefined };
  const filter = randomFilter(random);
  // Mostly alone, because what several conditions leave is mostly nothing.
  const { sort, page, size } = request.options;
  const options = random.chance(0.3)
    ? request.options
    : { ...(sort && { sort }), ...(page && { page }), ...(size !== undefined && { size }) };
  const means = options === request.options ? request.means : ALL;
  return { ...request, options: { ...options, filter: filter.text }, means, filter };
}

function isMatch({ means, filter }: Asked, object: ExtensionObject): boolean {
  return holds(means, object) && (filter === undefined || filter.holds(object));
}

async function checkList(t: TestService, known: Known, request: Asked, where: string): Promise<void> {
  const all = sorted(
    [...known.values()].filter((object) => isMatch(request, object)),
    request.sorts,
  );
  const { page, size } = request;
  const wanted = size === 0 ? (page === 1 ? all : []) : all.slice((page - 1) * size, page * size);
  const expected = { total: all.length, names: wanted.map((object) => object.metadata.name) };
  // Twice: the second answer may take another way, for sets and orders are in memory by then.
  for (const time of ['first', 'second']) {
    if (time === 'second') await t.service.listCaches.idle();
    const answer = await t.service.list(PERSON, request.options);
    const found = { total: answer.total, names: answer.items.map((item) => item.metadata.name) };
    expect(found, `${where}, ${time} time: ${shown(request)}`).toEqual(expected);
  }
}

/** Goes through the list with cursors: the parts together must be the whole, in order. */
async function checkWalk(
  t: TestService,
  known: Known,
  request: Asked,
  limit: number,
  where: string,
): Promise<void> {
  const { page: _page, size: _size, ...options } = request.options;
  const expected = sorted(
    [...known.values()].filter((object) => isMatch(request, object)),
    request.sorts,
  ).map((object) => object.metadata.name);
  const found: string[] = [];
  let token: string | undefined;
  do {
    const part = await t.service.list(PERSON, { ...options, limit, ...(token && { continue: token }) });
    found.push(...part.items.map((item) => item.metadata.name));
    token = part.metadata.continue;
    expect(part.total, where).toBe(expected.length);
    expect(part.hasNext, where).toBe(token !== undefined);
    expect(part.metadata.remainingItemCount ?? 0, where).toBe(expected.length - found.length);
  } while (token !== undefined);
  expect(found, `${where}, walked by ${limit}: ${shown(request)}`).toEqual(expected);
}

function shown({ options }: Asked): string {
  const text = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify(options, text).slice(0, 4_000);
}
