import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectDraft } from '../../src/model/object.js';
import type { ListGroup } from '../../src/list/aggregates/aggregates.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { PERSON, PET } from '../helpers/models.js';
import { expectCode, namesOf, person, refusal, revisionOf, type DoorVerbs } from './verbs-helpers.js';

const TEAM = 'example.com/team';

const PEOPLE: readonly ObjectDraft[] = [
  person(
    'ann',
    {
      owner: 'x',
      age: 30,
      tags: ['b', 'd'],
      active: true,
      serial: '9007199254740993',
      score: -1.5,
      born: '2000-01-01T00:00:00Z',
    },
    { labels: { tier: 'gold', [TEAM]: 'a' } },
  ),
  person(
    'bob',
    {
      owner: 'x',
      age: 40,
      tags: ['a'],
      active: false,
      serial: '9007199254740992',
      score: 2,
      born: '1999-12-31T23:59:59.999Z',
    },
    { labels: { tier: 'silver' } },
  ),
  person('cid', { owner: 'y, z', tags: ['e', 'c'], serial: '-1', score: -0.5 }, { labels: { tier: '' } }),
  person('dan', { age: 30 }),
  person('eve', { owner: '', age: 5, tags: ['z', 'a'], ages: [-7, 7] }, { labels: { [TEAM]: 'b' } }),
];

type Case = [selector: string | string[], names: string[]];

export function listCases(verbs: DoorVerbs): void {
  describe('lists', () => {
    beforeEach(async () => {
      await verbs().batch(PEOPLE.map((object) => ({ verb: 'create', resource: PERSON, object })));
    });

    it.each<Case>([
      ['tier=gold', ['ann']],
      ['tier==gold', ['ann']],
      ['tier = gold', ['ann']],
      ['tier!=gold', ['bob', 'cid', 'dan', 'eve']],
      ['tier', ['ann', 'bob', 'cid']],
      ['!tier', ['dan', 'eve']],
      ['tier in (gold, silver)', ['ann', 'bob']],
      ['tier=(gold,silver)', ['ann', 'bob']],
      ['tier notin (gold,silver)', ['cid', 'dan', 'eve']],
      ['tier=', ['cid']],
      ['tier,tier!=gold', ['bob', 'cid']],
      [`${TEAM}=b`, ['eve']],
      [`tier in (gold,silver),${TEAM}`, ['ann']],
      [
        ['tier', 'tier!=gold'],
        ['bob', 'cid'],
      ],
      ['tie', []],
      ['tier=gol', []],
      ['', ['ann', 'bob', 'cid', 'dan', 'eve']],
    ])('select by labels: %j', async (labelSelector, names) => {
      expect(await namesOf(verbs(), { labelSelector })).toEqual(names);
    });

    it.each<Case>([
      ['spec.owner=x', ['ann', 'bob']],
      ['spec.owner==x', ['ann', 'bob']],
      ['spec.owner!=x', ['cid', 'dan', 'eve']],
      ['spec.owner=', ['eve']],
      ['spec.owner!=', ['ann', 'bob', 'cid', 'dan']],
      ['spec.owner=y\\, z', ['cid']],
      ['spec.owner=(x,y\\, z)', ['ann', 'bob', 'cid']],
      ['spec.owner in (x)', ['ann', 'bob']],
      ['spec.owner notin (x)', ['cid', 'dan', 'eve']],
      ['spec.tags=a', ['bob', 'eve']],
      ['spec.tags!=a', ['ann', 'cid', 'dan']],
      ['spec.tags=(b,e)', ['ann', 'cid']],
      ['spec.tags=a,spec.tags=z', ['eve']],
      ['spec.age=30', ['ann', 'dan']],
      ['spec.age!=30', ['bob', 'cid', 'eve']],
      ['spec.ages=-7', ['eve']],
      ['spec.active=true', ['ann']],
      ['spec.active!=true', ['bob', 'cid', 'dan', 'eve']],
      ['spec.serial=9007199254740993', ['ann']],
      ['spec.score=-1.5', ['ann']],
      ['spec.born=2000-01-01T01:00:00+01:00', ['ann']],
      ['spec.age', ['ann', 'bob', 'dan', 'eve']],
      ['!spec.age', ['cid']],
      ['spec.age>30', ['bob']],
      ['spec.age >= 30', ['ann', 'bob', 'dan']],
      ['spec.age<30', ['eve']],
      ['spec.age<=30,spec.age>5', ['ann', 'dan']],
      ['spec.ages>=7', ['eve']],
      ['spec.ages<-7', []],
      ['!spec.tags', ['dan']],
      ['spec.tags,!spec.ages', ['ann', 'bob', 'cid']],
      ['spec.serial>9007199254740992', ['ann']],
      ['spec.serial<=-1', ['cid']],
      ['spec.score<0,spec.score>-1', ['cid']],
      ['spec.born<2000-01-01T00:00:00Z', ['bob']],
      ['spec.owner>x', ['cid']],
      ['spec.owner>=', ['ann', 'bob', 'cid', 'eve']],
      ['ownerInAnyCase=X', ['ann', 'bob']],
      ['ownerInAnyCase>X', ['cid']],
      ['spec.active<=false', ['bob']],
      ['metadata.name>bob,name<dan', ['cid']],
      ['!metadata.name', []],
      ['metadata.deletionTimestamp', []],
      ['!metadata.labels', ['dan']],
      ['metadata.name=bob', ['bob']],
      ['name=bob', ['bob']],
      ['metadata.name!=bob', ['ann', 'cid', 'dan', 'eve']],
      ['metadata.name in (dan,ann,nobody)', ['ann', 'dan']],
      ['metadata.name=bob,spec.owner=y', []],
      [['spec.age=30', 'spec.owner=x'], ['ann']],
    ])('select by fields: %j', async (fieldSelector, names) => {
      expect(await namesOf(verbs(), { fieldSelector })).toEqual(names);
    });

    it.each<Case>([
      ['spec.age > 5 && spec.age <= 30', ['ann', 'dan']],
      ['spec.age < 30 || !has(spec.age)', ['cid', 'eve']],
      ['spec.owner != "x"', ['cid', 'dan', 'eve']],
      ['!(spec.age < 30)', ['ann', 'bob', 'cid', 'dan']],
      ['spec.active', ['ann']],
      ['!spec.active', ['bob', 'cid', 'dan', 'eve']],
      ['spec.active == false', ['bob']],
      ['has(spec.tags)', ['ann', 'bob', 'cid', 'eve']],
      ['"a" in spec.tags || "e" in spec.tags', ['bob', 'cid', 'eve']],
      ['spec.tags.exists(t, t > "d" && t.startsWith("z"))', ['eve']],
      ['spec.ages.exists(x, x > -7 && x < 7)', []],
      ['spec.owner.contains(", ")', ['cid']],
      ['spec.owner.endsWith("z")', ['cid']],
      ['lower(spec.owner) == "X"', ['ann', 'bob']],
      ['lower(spec.owner) in ["X", "Y, Z"]', ['ann', 'bob', 'cid']],
      ['lower(spec.owner).contains("Y")', ['cid']],
      ['lower(ownerInAnyCase) != "X"', ['cid', 'dan', 'eve']],
      ['ownerInAnyCase.startsWith("Y, ")', ['cid']],
      ['spec.tags.exists(t, lower(t) == "A")', ['bob', 'eve']],
      ['lower(metadata.labels["tier"]) == "GOLD"', ['ann']],
      ['lower(metadata.labels["tier"]).startsWith("S")', ['bob']],
      ['spec.owner == "x\\" || true || \\""', []],
      ['spec.serial > 9007199254740992', ['ann']],
      ['spec.score < 0', ['ann', 'cid']],
      ['spec.born < timestamp("2000-01-01T00:00:00Z")', ['bob']],
      ['spec.born + duration("1s") > timestamp("2000-01-01T00:00:01Z")', []],
      ['metadata.creationTimestamp > now - duration("1h")', ['ann', 'bob', 'cid', 'dan', 'eve']],
      ['metadata.creationTimestamp + duration("1h") < now', []],
      ['metadata.labels["tier"] in ["gold", "silver"]', ['ann', 'bob']],
      ['metadata.labels["tier"] < "gold"', ['cid']],
      ['metadata.labels["tier"] != "gold"', ['bob', 'cid', 'dan', 'eve']],
      ['metadata.labels["tier"].contains("il")', ['bob']],
      ['metadata.labels["tier"].contains("ie")', []],
      ['metadata.labels["tier"].endsWith("tier=gold")', []],
      [`"${TEAM}" in metadata.labels`, ['ann', 'eve']],
      [['spec.age == 30', 'spec.owner == "x"'], ['ann']],
      ['', ['ann', 'bob', 'cid', 'dan', 'eve']],
    ])('select by a filter: %j', async (filter, names) => {
      expect(await namesOf(verbs(), { filter })).toEqual(names);
      const { total, items } = await verbs().list(PERSON, { filter, size: 1, sort: 'name,desc' });
      expect([total, items[0]?.metadata.name]).toEqual([names.length, names.at(-1)]);
    });

    it.each<[ListOptions, object]>([
      [{ facets: 'spec.owner' }, { 'spec.owner': ['x 2', ' 1', 'y, z 1'] }],
      [
        { facets: 'spec.tags, spec.age', facetLimit: 2 },
        { 'spec.tags': ['a 2', 'b 1'], 'spec.age': ['30 2', '5 1'] },
      ],
      [
        { facets: ['spec.active', 'spec.score'], fieldSelector: 'spec.active' },
        { 'spec.active': ['false 1', 'true 1'], 'spec.score': ['-1.5 1', '2 1'] },
      ],
      [{ facets: 'spec.ages,spec.ages', filter: 'spec.age < 30' }, { 'spec.ages': ['-7 1', '7 1'] }],
      [{ facets: 'spec.serial', facetLimit: 1 }, { 'spec.serial': ['-1 1'] }],
      [{ facets: 'spec.born' }, { 'spec.born': ['1999-12-31T23:59:59.999Z 1', '2000-01-01T00:00:00Z 1'] }],
      [{ facets: 'metadata.labels["tier"]' }, { 'metadata.labels["tier"]': [' 1', 'gold 1', 'silver 1'] }],
      [
        { facets: `metadata.labels['${TEAM}'],metadata.name`, labelSelector: TEAM, facetLimit: 1 },
        { [`metadata.labels["${TEAM}"]`]: ['a 1'], 'metadata.name': ['ann 1'] },
      ],
      [{ facets: 'spec.owner', labelSelector: 'nobody' }, { 'spec.owner': [] }],
    ])('count values: %j', async (options, expected) => {
      for (const part of [{}, { page: 2, size: 1, sort: 'spec.age' }, { limit: 2 }]) {
        const { facets = {} } = await verbs().list(PERSON, { ...options, ...part });
        const shown = Object.entries(facets).map(([field, counts]) => [
          field,
          counts.map(({ value, count }) => `${value} ${count}`),
        ]);
        expect(Object.fromEntries(shown)).toEqual(expected);
      }
    });

    it('count the same values in each part', async () => {
      const options = { facets: 'spec.owner', limit: 2 };
      const first = await verbs().list(PERSON, options);
      const token = first.metadata.continue ?? '';
      const next = await verbs().list(PERSON, { ...options, continue: token });
      expect(first.facets).toEqual({
        'spec.owner': [
          { value: 'x', count: 2 },
          { value: '', count: 1 },
          { value: 'y, z', count: 1 },
        ],
      });
      expect(next.facets).toEqual(first.facets);
      expect(await verbs().list(PERSON)).not.toHaveProperty('facets');
    });

    it('count values as the objects have them', async () => {
      const born = '2000-01-01T02:00:00+01:00';
      await verbs().create(PERSON, person('zed', { born, age: 7, active: true, score: 0.5 }));
      const { facets } = await verbs().list(PERSON, {
        facets: 'spec.born,spec.age,spec.active,spec.score',
        fieldSelector: 'name=zed',
      });
      expect(facets).toEqual({
        'spec.born': [{ value: born, count: 1 }],
        'spec.age': [{ value: 7, count: 1 }],
        'spec.active': [{ value: true, count: 1 }],
        'spec.score': [{ value: 0.5, count: 1 }],
      });
    });

    it('count long values that begin alike, in their order', async () => {
      const long = (end: string): string => `${'m'.repeat(400)}${end}`;
      const owners = ['c', 'a', 'b', 'c', 'd', 'e'].map(long);
      await verbs().batch(
        owners.map((owner, i) => ({ verb: 'create', resource: PERSON, object: person(`l${i}`, { owner }) })),
      );
      const { facets } = await verbs().list(PERSON, {
        facets: 'spec.owner',
        facetLimit: 4,
        filter: 'name > "l"',
      });
      expect(facets?.['spec.owner']).toEqual([
        { value: long('c'), count: 2 },
        { value: long('a'), count: 1 },
        { value: long('b'), count: 1 },
        { value: long('d'), count: 1 },
      ]);
    });

    it('count labels whose keys are longer than index entries hold', async () => {
      const key = `${[60, 60, 60, 60].map((length) => 'p'.repeat(length)).join('.')}/${'n'.repeat(60)}`;
      const labelled = (name: string, value: string) => person(name, {}, { labels: { [key]: value } });
      const objects = [labelled('l1', 'b'), labelled('l2', 'a'), labelled('l3', 'b')];
      const other = person('l4', {}, { labels: { [key.slice(0, -1)]: 'x' } });
      for (const object of [...objects, other]) await verbs().create(PERSON, object);
      const field = `metadata.labels["${key}"]`;
      const { facets } = await verbs().list(PERSON, { facets: field });
      expect(facets?.[field]).toEqual([
        { value: 'b', count: 2 },
        { value: 'a', count: 1 },
      ]);
    });

    it.each<[ListOptions, ListGroup[]]>([
      [{ aggregates: 'count' }, [{ key: {}, count: 5 }]],
      [
        { aggregates: 'sum(spec.serial),avg(spec.serial),min(spec.serial),max(spec.serial)' },
        [
          {
            key: {},
            count: 5,
            'sum(spec.serial)': '18014398509481984',
            'avg(spec.serial)': 6004799503160661,
            'min(spec.serial)': '-1',
            'max(spec.serial)': '9007199254740993',
          },
        ],
      ],
      [
        { aggregates: ['count', 'sum( spec.score )'], groupBy: 'spec.age' },
        [
          { key: { 'spec.age': 30 }, count: 2, 'sum(spec.score)': -1.5 },
          { key: { 'spec.age': 5 }, count: 1, 'sum(spec.score)': 0 },
          { key: { 'spec.age': 40 }, count: 1, 'sum(spec.score)': 2 },
          { key: { 'spec.age': null }, count: 1, 'sum(spec.score)': -0.5 },
        ],
      ],
      [
        { aggregates: 'max(spec.born),min(spec.owner)', groupBy: 'spec.tags', filter: 'spec.age > 20' },
        [
          {
            key: { 'spec.tags': 'a' },
            count: 1,
            'max(spec.born)': '1999-12-31T23:59:59.999Z',
            'min(spec.owner)': 'x',
          },
          {
            key: { 'spec.tags': 'b' },
            count: 1,
            'max(spec.born)': '2000-01-01T00:00:00Z',
            'min(spec.owner)': 'x',
          },
          {
            key: { 'spec.tags': 'd' },
            count: 1,
            'max(spec.born)': '2000-01-01T00:00:00Z',
            'min(spec.owner)': 'x',
          },
          { key: { 'spec.tags': null }, count: 1, 'max(spec.born)': null, 'min(spec.owner)': null },
        ],
      ],
      [
        {
          aggregates: 'avg(spec.score)',
          groupBy: ['spec.owner', 'metadata.labels["tier"]'],
          labelSelector: 'tier',
        },
        [
          {
            key: { 'spec.owner': 'x', 'metadata.labels["tier"]': 'gold' },
            count: 1,
            'avg(spec.score)': -1.5,
          },
          { key: { 'spec.owner': 'x', 'metadata.labels["tier"]': 'silver' }, count: 1, 'avg(spec.score)': 2 },
          { key: { 'spec.owner': 'y, z', 'metadata.labels["tier"]': '' }, count: 1, 'avg(spec.score)': -0.5 },
        ],
      ],
      [
        { aggregates: 'sum(spec.age),avg(spec.age),min(name)', fieldSelector: 'name=nobody' },
        [{ key: {}, count: 0, 'sum(spec.age)': 0, 'avg(spec.age)': null, 'min(name)': null }],
      ],
      [{ aggregates: 'count', groupBy: 'spec.owner', fieldSelector: 'name=nobody' }, []],
    ])('group and sum all matches: %j', async (options, expected) => {
      for (const part of [{}, { page: 2, size: 1, sort: 'spec.age' }, { limit: 2 }]) {
        const { groups, groupsTotal } = await verbs().list(PERSON, { ...options, ...part });
        expect({ groups, groupsTotal }).toEqual({ groups: expected, groupsTotal: expected.length });
      }
    });

    it('return the largest groups up to a limit, and the number of all', async () => {
      const options = {
        aggregates: 'count',
        groupBy: 'spec.owner',
        groupLimit: 2,
        facets: 'spec.age',
        limit: 2,
      };
      const first = await verbs().list(PERSON, options);
      const expected = [
        { key: { 'spec.owner': 'x' }, count: 2 },
        { key: { 'spec.owner': '' }, count: 1 },
      ];
      expect({ groups: first.groups, groupsTotal: first.groupsTotal }).toEqual({
        groups: expected,
        groupsTotal: 4,
      });
      expect(first.facets).toHaveProperty('spec.age');
      const next = await verbs().list(PERSON, { ...options, continue: first.metadata.continue ?? '' });
      expect({ groups: next.groups, groupsTotal: next.groupsTotal }).toEqual({
        groups: expected,
        groupsTotal: 4,
      });
      expect(await verbs().list(PERSON)).not.toHaveProperty('groups');
    });

    it.each<[ListOptions, RegExp]>([
      [{ groupBy: 'spec.age' }, /groupBy needs aggregates, for example aggregates=count/],
      [{ aggregates: 'median(spec.age)' }, /"median\(spec\.age\)" is none of count, sum\(<field>\)/],
      [{ aggregates: 'count,' }, /"" is none of count/],
      [{ aggregates: 'sum()' }, /a field is missing/],
      [{ aggregates: 'sum(spec.nope)' }, /"spec\.nope" is not indexed; indexed fields: .*spec\.age/],
      [{ aggregates: 'sum(spec.owner)' }, /sum needs numbers; spec\.owner is indexed as string/],
      [{ aggregates: 'avg(spec.born)' }, /avg needs numbers; spec\.born is indexed as instant/],
      [{ aggregates: 'max(spec.ages)' }, /max needs a field with one value; spec\.ages has several/],
      [{ aggregates: 'min(metadata.labels["tier"])' }, /min needs a field with one value/],
      [{ aggregates: 'count,count' }, /occurs twice/],
      [{ aggregates: 'min(name),min(metadata.name)' }, /occurs twice/],
      [{ aggregates: Array.from({ length: 21 }, () => 'count') }, /at most 20/],
      [{ aggregates: 'count', groupBy: 'spec.age,spec.age' }, /groupBy: .*occurs twice/],
      [{ aggregates: 'count', groupBy: 'name,spec.age,spec.tags,spec.owner' }, /groupBy: at most 3/],
      [{ aggregates: 'count', groupBy: 'metadata.labels' }, /groupBy: .*needs a label key/],
      [
        { aggregates: 'count', groupBy: 'spec.age', groupLimit: 0 },
        /groupLimit: 0 is not an integer from 1 to 10000/,
      ],
      [{ aggregates: 'count', groupBy: 'spec.age', groupLimit: 10_001 }, /from 1 to 10000/],
    ])('refuse aggregates: %j', async (options, message) => {
      const error = await refusal(verbs().list(PERSON, options));
      expect([error.code, error.message]).toEqual(['BadRequest', expect.stringMatching(message)]);
    });

    it('show the forms of an object for times and long numbers in groups', async () => {
      const born = '2000-01-01T01:00:00+01:00';
      await verbs().create(PERSON, person('zed', { born, serial: '007', owner: 'm'.repeat(400) }));
      const { groups } = await verbs().list(PERSON, {
        aggregates: 'min(spec.born),max(spec.serial),max(spec.owner)',
        groupBy: 'spec.owner,spec.born',
        fieldSelector: 'name=zed',
      });
      const owner = 'm'.repeat(400);
      const key = { 'spec.owner': owner, 'spec.born': born };
      const results = { 'min(spec.born)': born, 'max(spec.serial)': '007', 'max(spec.owner)': owner };
      expect(groups).toEqual([{ key, count: 1, ...results }]);
    });

    it('explain where the values of aggregates come from', async () => {
      const options = { aggregates: 'count,sum(spec.age)', groupBy: 'spec.owner' };
      const { aggregates } = await verbs().explain(PERSON, options);
      expect(aggregates?.map(({ field }) => field)).toEqual(['spec.owner', 'spec.age']);
      expect(await verbs().explain(PERSON)).not.toHaveProperty('aggregates');
    });

    it('apply a filter together with selectors', async () => {
      const selectors = { labelSelector: 'tier', fieldSelector: 'spec.owner=x' };
      expect(await namesOf(verbs(), { ...selectors, filter: 'spec.age > 30 || spec.age < 10' })).toEqual([
        'bob',
      ]);
    });

    it('apply label and field selectors together', async () => {
      expect(await namesOf(verbs(), { labelSelector: 'tier', fieldSelector: 'spec.owner=x' })).toEqual([
        'ann',
        'bob',
      ]);
      expect(await namesOf(verbs(), { labelSelector: '!tier', fieldSelector: 'spec.owner=x' })).toEqual([]);
    });

    it('select by the creation time', async () => {
      const { metadata } = await verbs().get(PERSON, 'ann');
      const fieldSelector = `metadata.creationTimestamp=${metadata.creationTimestamp}`;
      expect(await namesOf(verbs(), { fieldSelector })).toContain('ann');
      const other = await namesOf(verbs(), {
        fieldSelector: 'metadata.creationTimestamp!=2001-01-01T00:00:00Z',
      });
      expect(other).toHaveLength(5);
    });

    it.each<[string | string[], string[]]>([
      ['metadata.name', ['ann', 'bob', 'cid', 'dan', 'eve']],
      ['metadata.name,desc', ['eve', 'dan', 'cid', 'bob', 'ann']],
      ['name,desc', ['eve', 'dan', 'cid', 'bob', 'ann']],
      ['spec.age,asc', ['cid', 'eve', 'ann', 'dan', 'bob']],
      ['spec.age,desc', ['bob', 'ann', 'dan', 'eve', 'cid']],
      ['spec.age', ['bob', 'ann', 'dan', 'eve', 'cid']],
      ['spec.owner', ['dan', 'eve', 'ann', 'bob', 'cid']],
      ['spec.owner,desc', ['cid', 'ann', 'bob', 'eve', 'dan']],
      ['spec.tags,asc', ['dan', 'bob', 'eve', 'ann', 'cid']],
      ['spec.tags,desc', ['eve', 'cid', 'ann', 'bob', 'dan']],
      ['spec.serial,asc', ['dan', 'eve', 'cid', 'bob', 'ann']],
      ['spec.score,asc', ['dan', 'eve', 'ann', 'cid', 'bob']],
      ['spec.active,asc', ['cid', 'dan', 'eve', 'bob', 'ann']],
      ['spec.born,desc', ['ann', 'bob', 'cid', 'dan', 'eve']],
      [
        ['spec.age,desc', 'metadata.name,desc'],
        ['bob', 'dan', 'ann', 'eve', 'cid'],
      ],
      [
        ['spec.owner,asc', 'spec.age,asc'],
        ['dan', 'eve', 'ann', 'bob', 'cid'],
      ],
      [
        ['spec.owner,asc', 'spec.age'],
        ['dan', 'eve', 'bob', 'ann', 'cid'],
      ],
      [
        ['spec.active,desc', 'spec.age,asc'],
        ['ann', 'bob', 'cid', 'eve', 'dan'],
      ],
    ])('sort by %j', async (sort, names) => {
      expect(await namesOf(verbs(), { sort })).toEqual(names);
    });

    it('sort the selected objects', async () => {
      const options = {
        fieldSelector: 'spec.age!=40',
        labelSelector: '!none',
        sort: ['spec.age,asc', 'name,desc'],
      };
      expect(await namesOf(verbs(), options)).toEqual(['cid', 'eve', 'dan', 'ann']);
    });

    it('sort by the creation time, ties by name in both directions', async () => {
      await verbs().create(PERSON, person('aaa'));
      const { items } = await verbs().list(PERSON);
      const ascending = [...items].sort((a, b) =>
        a.metadata.creationTimestamp < b.metadata.creationTimestamp
          ? -1
          : a.metadata.creationTimestamp > b.metadata.creationTimestamp
            ? 1
            : 0,
      );
      const descending = [...items].sort((a, b) =>
        a.metadata.creationTimestamp > b.metadata.creationTimestamp
          ? -1
          : a.metadata.creationTimestamp < b.metadata.creationTimestamp
            ? 1
            : 0,
      );
      expect(await namesOf(verbs(), { sort: 'metadata.creationTimestamp' })).toEqual(
        ascending.map((o) => o.metadata.name),
      );
      expect(await namesOf(verbs(), { sort: 'metadata.creationTimestamp,desc' })).toEqual(
        descending.map((o) => o.metadata.name),
      );
    });

    it('sort by the deletion time, though hardly any object has one', async () => {
      await verbs().create(PERSON, person('zed', {}, { finalizers: ['a/b'] }));
      await verbs().delete(PERSON, 'zed');
      expect((await namesOf(verbs(), { sort: 'metadata.deletionTimestamp,desc' }))[0]).toBe('zed');
      expect((await namesOf(verbs(), { sort: 'metadata.deletionTimestamp,asc' })).at(-1)).toBe('zed');
    });

    it.each<[ListOptions, object]>([
      [
        {},
        {
          page: 1,
          size: 0,
          total: 5,
          totalPages: 1,
          first: true,
          last: true,
          hasNext: false,
          hasPrevious: false,
        },
      ],
      [
        { size: 2 },
        {
          page: 1,
          size: 2,
          total: 5,
          totalPages: 3,
          first: true,
          last: false,
          hasNext: true,
          hasPrevious: false,
        },
      ],
      [
        { page: 2, size: 2 },
        { page: 2, totalPages: 3, first: false, last: false, hasNext: true, hasPrevious: true },
      ],
      [
        { page: 3, size: 2 },
        { page: 3, totalPages: 3, first: false, last: true, hasNext: false, hasPrevious: true },
      ],
      [
        { page: 1, size: 5 },
        { totalPages: 1, first: true, last: true, hasNext: false },
      ],
      [
        { page: 9, size: 2 },
        { page: 9, total: 5, totalPages: 3, first: false, last: true, hasNext: false, hasPrevious: true },
      ],
      [
        { size: 2, fieldSelector: 'spec.owner=nobody' },
        { total: 0, first: true, last: true, hasNext: false, hasPrevious: false },
      ],
    ])('tell their page and place: %j', async (options, expected) => {
      expect(await verbs().list(PERSON, options)).toMatchObject(expected);
    });

    it.each<[ListOptions, string[]]>([
      [{ page: 1, size: 2 }, ['ann', 'bob']],
      [{ page: 2, size: 2 }, ['cid', 'dan']],
      [{ page: 3, size: 2 }, ['eve']],
      [{ page: 4, size: 2 }, []],
      [{ page: 2, size: 0 }, []],
      [{ page: 2, size: 1, sort: 'spec.age,desc' }, ['ann']],
      [{ page: 2, size: 1, fieldSelector: 'spec.owner=x' }, ['bob']],
      [{ page: 2147483647, size: 2147483647 }, []],
    ])('hold the objects of the page: %j', async (options, names) => {
      expect(await namesOf(verbs(), options)).toEqual(names);
      expect(await namesOf(verbs(), options)).toEqual(names);
    });

    it('carry kind, version and the revision they were read at', async () => {
      expect(await verbs().list(PERSON, { size: 1 })).toMatchObject({
        apiVersion: 'demo.example.com/v1',
        kind: 'PersonList',
        metadata: { resourceVersion: await revisionOf(verbs()) },
        items: [await verbs().get(PERSON, 'ann')],
      });
    });

    it('are empty for a model without objects', async () => {
      expect(await verbs().list(PET)).toMatchObject({
        kind: 'PetList',
        total: 0,
        items: [],
        page: 1,
        last: true,
      });
    });

    it.each<[ListOptions, string]>([
      [{ page: 0 }, 'page'],
      [{ page: -1 }, 'page'],
      [{ page: 1.5 }, 'page'],
      [{ size: -1 }, 'size'],
      [{ size: 0.5 }, 'size'],
      [{ sort: 'spec.code' }, 'spec.owner'],
      [{ sort: 'spec.age,up' }, 'sort'],
      [{ sort: 'metadata.labels' }, 'metadata.labels'],
      [{ fieldSelector: 'spec.code=ABC' }, 'spec.code'],
      [{ fieldSelector: 'spec.age=old' }, 'old'],
      [{ fieldSelector: 'spec.age=2147483648' }, '2147483648'],
      [{ fieldSelector: 'spec.active=yes' }, 'yes'],
      [{ fieldSelector: 'spec.serial=9223372036854775808' }, '9223372036854775808'],
      [{ fieldSelector: 'spec.born=yesterday' }, 'yesterday'],
      [{ fieldSelector: 'spec.age>old' }, 'old'],
      [{ fieldSelector: 'spec.active<=yes' }, 'yes'],
      [{ fieldSelector: 'spec.born>yesterday' }, 'yesterday'],
      [{ filter: 'spec.age >' }, 'at character 11'],
      [{ filter: 'spec.age == "30"' }, 'spec.age is of type integer'],
      [{ filter: 'spec.code == "ABC"' }, 'indexed fields: metadata.name'],
      [{ filter: 'spec.tags == "a"' }, 'has several values'],
      [{ filter: 'lower(spec.age) == "a"' }, 'lower needs a string field, spec.age is of type integer'],
      [{ filter: ['true', 'spec.age'] }, 'at character 1'],
      [{ fieldSelector: 'spec.code' }, 'spec.code'],
      [{ fieldSelector: '!spec.code' }, 'spec.code'],
      [{ fieldSelector: 'spec.owner>(a,b)' }, 'spec.owner>(a,b)'],
      [{ fieldSelector: 'spec.owner in ()' }, ''],
      [{ fieldSelector: '=x' }, ''],
      [{ labelSelector: 'tier in ()' }, ''],
      [{ labelSelector: 'tier in (gold' }, ''],
      [{ labelSelector: '=gold' }, ''],
      [{ labelSelector: 'not a label!' }, ''],
    ])('refuse %j as a bad request that says why', async (options, said) => {
      const error = await refusal(verbs().list(PERSON, options));
      expect(error.code).toBe('BadRequest');
      expect(error.message).toContain(said);
    });

    it.each<ListOptions>([
      {},
      { sort: ['spec.age,desc', 'spec.owner'] },
      { fieldSelector: 'spec.owner!=y', sort: 'spec.tags,desc' },
      { filter: 'metadata.creationTimestamp <= now', sort: 'spec.age' },
    ])('go on where a limit cut them: %j', async (options) => {
      const names: string[] = [];
      let token: string | undefined;
      do {
        const from: ListOptions = token === undefined ? {} : { continue: token };
        const { items, metadata } = await verbs().list(PERSON, { ...options, limit: 2, ...from });
        expect(items.length).toBeLessThanOrEqual(2);
        names.push(...items.map((item) => item.metadata.name));
        token = metadata.continue;
        expect(metadata.remainingItemCount).toBe(token === undefined ? undefined : 5 - names.length);
      } while (token !== undefined);
      expect(names).toEqual(await namesOf(verbs(), options));
    });

    it('neither skip nor repeat an object when others come and go between two parts', async () => {
      const first = await verbs().list(PERSON, { limit: 2 });
      await verbs().create(PERSON, person('aaa'));
      await verbs().delete(PERSON, 'bob');
      const { metadata } = first;
      const next = await namesOf(verbs(), { limit: 2, continue: metadata.continue ?? '' });
      expect(next).toEqual(['cid', 'dan']);
    });

    it.each<[string, ListOptions]>([
      ['another sort', { sort: 'spec.age' }],
      ['another selector', { fieldSelector: 'spec.age=30' }],
      ['a filter', { filter: 'true' }],
      ['a page', { page: 2 }],
    ])('refuse a token with %s', async (_what, options) => {
      const { metadata } = await verbs().list(PERSON, { limit: 1 });
      const from = { limit: 1, continue: metadata.continue ?? '' };
      await expectCode('BadRequest', verbs().list(PERSON, { ...from, ...options }));
    });

    it('are explained without being answered', async () => {
      const options = { fieldSelector: 'spec.owner=x', sort: 'spec.age,desc', size: 1 };
      const explained = await verbs().explain(PERSON, options);
      expect(explained).toMatchObject({
        kind: 'ListExplanation',
        resource: 'persons.demo.example.com/v1',
        condition: 'spec.owner = "x"',
        filters: [{ condition: 'spec.owner = "x"', matches: 2 }],
        bounds: 'the whole order',
        total: 2,
        objectsRead: 1,
      });
      const methods = [explained, ...explained.alternatives].map(({ method }) => method);
      expect(methods.sort()).toEqual(['ranks', 'sort', 'walk']);
      const { metadata } = await verbs().list(PERSON, { limit: 2 });
      const token = { limit: 2, continue: metadata.continue ?? '' };
      expect(await verbs().explain(PERSON, token)).toMatchObject({ method: 'walk', bounds: 'after "bob"' });
      await expectCode('BadRequest', verbs().explain(PERSON, { sort: 'spec.code' }));
    });

    it('name the indexed fields when one is not indexed', async () => {
      const { message } = await refusal(verbs().list(PERSON, { fieldSelector: 'spec.code=ABC' }));
      for (const field of ['metadata.name', 'metadata.labels', 'spec.owner', 'spec.visits'])
        expect(message).toContain(field);
    });

    it('refuse a model that is not served', async () => {
      await expectCode('NotFound', verbs().list({ ...PERSON, plural: 'ghosts', kind: 'Ghost' }));
    });
  });
}
