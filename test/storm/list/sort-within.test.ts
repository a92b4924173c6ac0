import { afterAll, describe, expect, it } from 'vitest';
import type { ExtensionObject } from '../../../src/model/object.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../../helpers/store.js';
import { checkLists } from '../../property/lists-run.js';
import { byColorAndTags, Thing, THING } from '../../store/helpers.js';

afterAll(removeDirectories);

const seed = seedOfRun();
/** So that no object is sorted by its row that can be sorted otherwise. */
const WITHOUT_ROWS = { inMemorySortMax: 0 };
/** So that the objects of some values, but not of all, are more than a window. */
const IN_WINDOWS = { ...WITHOUT_ROWS, sortWindowMax: 5 };

describe.each([
  { title: 'all at a time', listCaches: WITHOUT_ROWS },
  // Long values that only their rows distinguish, in a run that is larger than a window.
  { title: 'a few at a time', listCaches: IN_WINDOWS, readsRows: true },
])(
  `lists that are put in order without their rows, $title (SEED=${seed})`,
  // Hundreds of commits, which a slow disk makes long.
  ({ listCaches, readsRows = false }) => {
    it.each([
      { names: 8, objects: 4, lists: 100 },
      { names: 60, objects: 40, lists: 200 },
      { names: 500, objects: 400, lists: 40 },
    ])('are what the plain definition says, over up to $names objects', async (size) => {
      await checkLists({ seed, ...size, listCaches });
    });

    it('have the objects that are being deleted where the plain definition has them', async () => {
      const random = new Random(seed);
      const t = await openTestService(temporaryDirectory(), listCaches);
      try {
        await t.register(Thing, byColorAndTags);
        for (const isDeleted of [0, 0.4, 1]) {
          const all = await fill(t, random, 60, isDeleted);
          for (let i = 0; i < 50; i++) await checkSort(t, random, all, readsRows);
        }
      } finally {
        await t.close();
      }
    });
  },
);

type Key = string | undefined;

interface Field {
  readonly name: string;
  /** Ascending, each once. */
  readonly read: (object: ExtensionObject) => readonly string[];
}

const specOf = (object: ExtensionObject): Thing['spec'] => object.spec as Thing['spec'];
const present = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

const DELETED: Field = {
  name: 'metadata.deletionTimestamp',
  read: ({ metadata }) => present(metadata.deletionTimestamp),
};
const FIELDS: readonly Field[] = [
  { name: 'spec.color', read: (object) => present(specOf(object).color) },
  { name: 'spec.tags', read: (object) => (specOf(object).tags ?? []).toSorted() },
  { name: 'metadata.name', read: ({ metadata }) => [metadata.name] },
];

interface Sort {
  readonly field: Field;
  readonly isDescending: boolean;
}

/** Replaces all objects by others, of which a part has been asked to be deleted. */
async function fill(
  t: TestService,
  random: Random,
  count: number,
  isDeleted: number,
): Promise<ExtensionObject[]> {
  for (const { metadata } of (await t.service.list(THING)).items) {
    if (metadata.deletionTimestamp === undefined) await t.service.delete(THING, metadata.name);
    const change = { metadata: { finalizers: null } };
    await t.service.patch(THING, metadata.name, change, 'merge');
  }
  const all: ExtensionObject[] = [];
  for (let i = 0; i < count; i++) {
    const name = `t${random.below(10_000)}-${i}`;
    const spec: Thing['spec'] = {
      ...(random.chance(0.7) && { color: random.pick(['red', 'green']) }),
      tags: random.many(0, 3, () => random.pick(['a', 'b', 'c', 'k'.repeat(1_500), `${'k'.repeat(1_500)}l`])),
    };
    const metadata = { name, finalizers: ['demo.example.com/keep'] };
    const { object } = await t.service.create(THING, { metadata, spec });
    all.push(random.chance(isDeleted) ? (await t.service.delete(THING, name)).object : object);
  }
  return all;
}

async function checkSort(
  t: TestService,
  random: Random,
  all: readonly ExtensionObject[],
  readsRows: boolean,
): Promise<void> {
  const fields = new Set([...random.many(0, 1, () => random.pick(FIELDS)), DELETED]);
  for (const field of random.many(0, 2, () => random.pick(FIELDS))) fields.add(field);
  const sorts = [...fields].map((field): Sort => ({ field, isDescending: random.chance(0.5) }));
  const color = random.pick(['', 'red', 'green']);
  const wanted = all.filter((object) => color === '' || specOf(object).color === color);
  const expected = wanted.toSorted((a, b) => compare(a, b, sorts)).map(({ metadata }) => metadata.name);
  const options = {
    sort: sorts.map(({ field, isDescending }) => `${field.name},${isDescending ? 'desc' : 'asc'}`),
    ...(color !== '' && { fieldSelector: `spec.color=${color}` }),
  };
  const where = `SEED=${seed}: ${JSON.stringify(options)}`;
  const whole = await t.service.list(THING, options);
  expect(
    whole.items.map(({ metadata }) => metadata.name),
    where,
  ).toEqual(expected);
  if (!readsRows) expect((await t.service.explain(THING, options)).recordsRead, where).toBe(0);

  const limit = 1 + random.below(all.length);
  const walked: string[] = [];
  let token: string | undefined;
  do {
    const part = await t.service.list(THING, { ...options, limit, ...(token && { continue: token }) });
    walked.push(...part.items.map(({ metadata }) => metadata.name));
    token = part.metadata.continue;
  } while (token !== undefined);
  expect(walked, `${where}, walked by ${limit}`).toEqual(expected);
}

function compare(a: ExtensionObject, b: ExtensionObject, sorts: readonly Sort[]): number {
  for (const { field, isDescending } of sorts) {
    const keyOf = (object: ExtensionObject): Key => field.read(object).at(isDescending ? -1 : 0);
    const byValue = compareKeys(keyOf(a), keyOf(b));
    if (byValue !== 0) return isDescending ? -byValue : byValue;
  }
  return compareKeys(a.metadata.name, b.metadata.name);
}

function compareKeys(a: Key, b: Key): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return a < b ? -1 : a > b ? 1 : 0;
}
