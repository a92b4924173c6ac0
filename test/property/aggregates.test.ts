import { afterAll, describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ExtensionObject, ObjectDraft } from '../../src/model/object.js';
import type { ValueType } from '../../src/model/resource.js';
import type { ListOptions } from '../../src/query/list-options.js';
import type { BatchItem } from '../../src/service/verbs.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { type Call, type GroupField, groupsOf, type Question, type Value } from './aggregates.js';

afterAll(removeDirectories);

const MODEL = { group: 'groups.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' };

@GVK(MODEL)
class Item extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  declare spec: Record<string, Value | Value[]>;
}

const seed = seedOfRun();
const LONG = 'l'.repeat(300);
const POOLS: Readonly<Record<ValueType, readonly Value[]>> = {
  string: ['', 'a', 'A', 'b', 'ab', 'é', 'É', 'a\0', '\u{10000}', '\uffff'],
  boolean: [true, false],
  integer: [-2147483648, -1, 0, 1, 7, 2147483647],
  long: [
    '0',
    0,
    '7',
    7,
    '-1',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    9007199254740991,
  ],
  number: [
    -0,
    0,
    0.1,
    0.2,
    0.7,
    1 / 3,
    1e16,
    -1e16,
    5e-324,
    -5e-324,
    1e-300,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    12.34,
  ],
  instant: [
    '1970-01-01T00:00:00Z',
    '1970-01-01T01:00:00+01:00',
    '2000-02-29T12:00:00.5Z',
    '0001-01-01T00:00:00Z',
  ],
};
const TYPES = Object.keys(POOLS) as ValueType[];
const FIELDS = 6;

const NAME: GroupField = {
  name: 'metadata.name',
  keyType: 'string',
  isMulti: false,
  ignoresCase: false,
  read: ({ metadata }) => [metadata.name],
};
const LABEL: GroupField = {
  name: 'metadata.labels["team"]',
  keyType: 'string',
  isMulti: false,
  ignoresCase: false,
  read: ({ metadata: { labels } }) => (labels?.team === undefined ? [] : [labels.team]),
};

function randomFields(random: Random): GroupField[] {
  return Array.from({ length: FIELDS }, (_, i) => {
    // At least one of each kind of aggregate is possible.
    const keyType = i === 0 ? 'number' : i === 1 ? 'long' : random.pick(TYPES);
    const read = ({ spec }: ExtensionObject): readonly Value[] => {
      const value = (spec as Item['spec'])[`f${i}`];
      return value === undefined ? [] : [value].flat();
    };
    const isMulti = i > 1 && random.chance(0.3);
    return {
      name: `spec.f${i}`,
      keyType,
      isMulti,
      ignoresCase: keyType === 'string' && random.chance(0.3),
      read,
    };
  });
}

function declare(t: TestService, fields: readonly GroupField[]): Promise<void> {
  return t.register(Item, (specs) => {
    for (const { name, keyType, isMulti, ignoresCase } of fields) {
      const member = name.slice('spec.'.length);
      const index = isMulti
        ? IndexSpecs.multi<Item>(name, keyType).indexFunc((o) => o.spec[member] as Value[] | undefined)
        : IndexSpecs.single<Item>(name, keyType).indexFunc((o) => o.spec[member]);
      specs.add(index.ignoreCase(ignoresCase));
    }
  });
}

function randomObject(
  random: Random,
  name: string,
  fields: readonly GroupField[],
  long: number,
): ObjectDraft {
  const spec: Record<string, Value | Value[]> = {};
  for (const { name: path, keyType, isMulti } of fields) {
    if (random.chance(0.2)) continue;
    const value = (): Value =>
      keyType === 'string' && random.chance(long)
        ? `${LONG}${random.below(3)}`
        : randomValue(random, keyType);
    spec[path.slice('spec.'.length)] = isMulti ? random.many(0, 3, value) : value();
  }
  const labels = random.chance(0.7) ? { team: random.pick(['', 'red', 'blue']), tea: 'x' } : { teams: 'y' };
  return { metadata: { name, labels }, spec };
}

function randomValue(random: Random, keyType: ValueType): Value {
  if (keyType === 'number' && random.chance(0.5)) return random.below(10_000) / 100;
  if (keyType === 'integer' && random.chance(0.3)) return random.below(100);
  return random.pick(POOLS[keyType]);
}

function randomQuestion(random: Random, fields: readonly GroupField[]): Question {
  const groupBy = random.shuffled([...fields, LABEL, NAME]).slice(0, random.below(4));
  const single = [...fields.filter(({ isMulti }) => !isMulti), NAME];
  const all = single.flatMap((field): Call[] => {
    const isNumber = ['integer', 'long', 'number'].includes(field.keyType);
    const names = isNumber ? (['sum', 'avg', 'min', 'max'] as const) : (['min', 'max'] as const);
    return names.map((name) => ({ name, field }));
  });
  return {
    groupBy,
    calls: random.shuffled(all).slice(0, random.below(5)),
    groupLimit: random.pick([1, 3, 100, 10_000]),
  };
}

interface Choice {
  readonly options: ListOptions;
  readonly holds: (object: ExtensionObject) => boolean;
}

function randomChoice(random: Random, fields: readonly GroupField[], names: number): Choice {
  const field = random.pick(fields);
  const limit = `p${String(random.below(names)).padStart(4, '0')}`;
  return random.pick<Choice>([
    { options: {}, holds: () => true },
    { options: { filter: `has(${field.name})` }, holds: (object) => field.read(object).length > 0 },
    { options: { filter: `!has(${field.name})` }, holds: (object) => field.read(object).length === 0 },
    { options: { fieldSelector: `name<${limit}` }, holds: ({ metadata }) => metadata.name < limit },
    { options: { fieldSelector: `name=${limit}` }, holds: ({ metadata }) => metadata.name === limit },
    { options: { labelSelector: 'team=red' }, holds: ({ metadata }) => metadata.labels?.team === 'red' },
  ]);
}

interface Run {
  readonly seed: number;
  readonly names: number;
  readonly questions: number;
  /** Share of texts that are cut in the keys of indexes. */
  readonly long: number;
}

async function checkAggregates({ seed: runSeed, names, questions, long }: Run): Promise<void> {
  const random = new Random(runSeed);
  const fields = randomFields(random);
  const cached = await openTestService();
  // Another process on the same store, without any cache.
  const bare = await openTestService(cached.directory, {}, { cacheBytes: 0 });
  try {
    for (const t of [cached, bare]) await declare(t, fields);
    // In the order of their creation.
    const known = new Map<string, ExtensionObject>();
    const draft = (name: string): ObjectDraft => randomObject(random, name, fields, long);
    const first = Array.from({ length: names }, (_, i) => `p${String(i).padStart(4, '0')}`);
    const items = random.shuffled(first.slice(0, Math.ceil(names * 0.8))).map((name): BatchItem => {
      return { verb: 'create', resource: MODEL, object: draft(name) };
    });
    for (const { object } of (await cached.service.batch(items)).items)
      known.set(object.metadata.name, object);
    for (let i = 0; i < questions; i++) {
      for (let writes = random.chance(0.4) ? 1 + random.below(4) : 0; writes > 0; writes--) {
        const name = random.pick(first);
        const { service } = random.pick([cached, bare]);
        if (!known.has(name)) known.set(name, (await service.create(MODEL, draft(name))).object);
        else if (random.chance(0.3)) {
          await service.delete(MODEL, name);
          known.delete(name);
        } else known.set(name, (await service.update(MODEL, name, draft(name))).object);
      }
      const question = randomQuestion(random, fields);
      const { options, holds } = randomChoice(random, fields, names);
      const expected = groupsOf([...known.values()].filter(holds), question);
      const asked: ListOptions = {
        ...options,
        aggregates: ['count', ...question.calls.map(({ name, field }) => `${name}(${field.name})`)],
        groupBy: question.groupBy.map(({ name }) => name),
        groupLimit: question.groupLimit,
        size: 1,
      };
      for (const [side, t] of Object.entries({ cached, bare })) {
        const { groups, groupsTotal } = await t.service.list(MODEL, asked);
        const where = `SEED=${runSeed}, question ${i} of ${names} names, ${side}: ${JSON.stringify(asked)}`;
        expect({ groups, groupsTotal }, where).toEqual(expected);
        if (question.groupBy.length > 0)
          expect(
            groups?.map(({ key }) => Object.keys(key)),
            where,
          ).toEqual(expected.groups.map(({ key }) => Object.keys(key as object)));
      }
    }
    expect(await cached.check()).toEqual([]);
  } finally {
    await cached.close();
    await bare.close();
  }
}

describe(
  `groups and aggregates are those of all objects, with caches and without (SEED=${seed})`,
  { timeout: 120_000 },
  () => {
    it.each([
      { names: 1, questions: 30, long: 0 },
      { names: 10, questions: 150, long: 0 },
      { names: 60, questions: 200, long: 0 },
      { names: 60, questions: 100, long: 0.2 },
      { names: 1_000, questions: 30, long: 0 },
    ])('over up to $names objects, $questions times, $long of texts cut', async (size) => {
      await checkAggregates({ seed, ...size });
    });

    it('also of other models', async () => {
      for (let i = 1; i <= 15; i++)
        await checkAggregates({ seed: seed + i, names: 30, questions: 15, long: 0.02 });
    });
  },
);
