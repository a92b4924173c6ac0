import { beforeEach, describe, expect, it } from 'vitest';
import type { BatchItem, ResourceRef } from '../../src/service/verbs.js';
import { AUTHOR, BOOK, named, SHELF } from '../helpers/library.js';
import { refusal, type DoorVerbs } from './verbs-helpers.js';

function create(resource: ResourceRef, ...rest: Parameters<typeof named>): BatchItem {
  return { verb: 'create', resource, object: named(...rest) };
}

const LIBRARY: readonly BatchItem[] = [
  create(AUTHOR, 'ann', {}, { labels: { team: 'red', level: '1' } }),
  create(AUTHOR, 'bob', {}, { labels: { team: 'blue' } }),
  create(AUTHOR, 'cy', {}),
  create(BOOK, 'one', { author: 'ann', readers: ['bob', 'cy'] }),
  create(BOOK, 'two', { author: 'bob', readers: ['ann'], sequelOf: 'one' }),
  create(BOOK, 'three', { author: 'cy', sequelOf: 'two' }),
  create(BOOK, 'four', { sequelOf: 'four' }),
  create(SHELF, 'low', { books: ['one', 'two'] }),
  create(SHELF, 'high', { books: ['three'], rows: [{ first: 'two' }, {}] }),
  create(SHELF, 'empty', {}),
];

const TEAM = 'metadata.labels["team"]';

/** Conditions on the targets of references, and the names of the matches. */
const FILTERS: readonly (readonly [model: ResourceRef, filter: string, names: string])[] = [
  [BOOK, `ref(spec.author).${TEAM} == "red"`, 'one'],
  [BOOK, `ref(spec.author).${TEAM} != "red"`, 'four three two'],
  [BOOK, `!(ref(spec.author).${TEAM} == "red")`, 'four three two'],
  [BOOK, `ref(spec.author).${TEAM} in ["red", "blue"]`, 'one two'],
  [BOOK, `"team" in ref(spec.author).metadata.labels`, 'one two'],
  [BOOK, `!("team" in ref(spec.author).metadata.labels)`, 'four three'],
  [BOOK, `"red" == ref(spec.author).${TEAM}`, 'one'],
  [BOOK, `ref(spec.author).metadata.name.startsWith("b")`, 'two'],
  [BOOK, `lower(ref(spec.author).${TEAM}) == "red"`, 'one'],
  [BOOK, `ref(spec.author).metadata.creationTimestamp <= now + duration("1h")`, 'one three two'],
  [BOOK, `ref(spec.readers).${TEAM} == "red" || ref(spec.readers).metadata.name == "cy"`, 'one two'],
  [BOOK, `ref(spec.readers).metadata.name != "cy"`, 'four three two'],
  [BOOK, `ref(spec.sequelOf).spec.author == "ann"`, 'two'],
  [BOOK, `has(ref(spec.sequelOf).spec.author)`, 'three two'],
  [BOOK, `!has(ref(spec.sequelOf).spec.author)`, 'four one'],
  [BOOK, `ref(spec.sequelOf).metadata.name == "four"`, 'four'],
  [BOOK, `"ann" in ref(spec.sequelOf).spec.readers`, 'three'],
  [BOOK, `ref(spec.sequelOf).spec.readers.exists(r, r > "b")`, 'two'],
  [BOOK, `ref(ref(spec.sequelOf).spec.author).${TEAM} == "blue"`, 'three'],
  [BOOK, `ref(ref(spec.sequelOf).spec.author).${TEAM} != "blue"`, 'four one two'],
  [BOOK, `ref(spec.author).${TEAM} == "red" && ref(spec.author).metadata.labels["level"] == "2"`, ''],
  [SHELF, `ref(spec.books).spec.author == "bob"`, 'low'],
  [SHELF, `ref(spec.rows.first).spec.author == "bob" && ref(spec.books).spec.author == "cy"`, 'high'],
  [SHELF, `ref(ref(spec.books).spec.author).${TEAM} == "red"`, 'low'],
  [SHELF, `ref(ref(spec.books).spec.sequelOf).metadata.name == "two"`, 'high'],
];

/** Conditions that are refused, and a part of the reason. */
const REFUSED: readonly (readonly [filter: string, reason: string])[] = [
  ['ref(spec.pages).spec.x == 1', '"spec.pages" is not a reference; references: spec.author,'],
  ['ref(metadata.name).spec.x == 1', '"metadata.name" is not a reference'],
  ['ref(spec.author).spec.pages == 1', 'field "spec.pages" is not indexed'],
  [
    'ref(ref(ref(spec.sequelOf).spec.sequelOf).spec.author).metadata.name == "a"',
    'follow at most 2 references',
  ],
  ['ref(spec.author)', 'ref needs a field of the targets'],
  ['has(ref(spec.author))', 'expected a field'],
  ['ref(spec.author) == "ann"', '"ref" is not a value'],
  ['ref().spec.x == 1', 'ref takes one reference'],
  ['ref(spec.author, spec.editor).metadata.name == "a"', 'ref takes one reference'],
  ['ref("spec.author").metadata.name == "a"', 'ref takes one reference'],
  ['ref(spec.author).metadata.name == ref(spec.editor).metadata.name', 'compares a field with a value'],
  ['spec.readers.exists(r, ref(spec.author).metadata.name == r)', 'expected a field'],
  ['ref(spec.author).metadata.name == 3', 'cannot be compared with an integer'],
];

export function refFilterCases(verbs: DoorVerbs): void {
  describe('a filter on the targets of references', () => {
    beforeEach(async () => {
      await verbs().batch(LIBRARY);
    });

    it('matches the objects with such a target, and those without one where it is negated', async () => {
      for (const [model, filter, names] of FILTERS) {
        const { items, total } = await verbs().list(model, { filter });
        const found = items.map(({ metadata }) => metadata.name);
        expect([filter, found.join(' '), total]).toEqual([filter, names, found.length]);
      }
    });

    it('is refused with the place and the reason', async () => {
      for (const [filter, reason] of REFUSED) {
        const { code, message } = await refusal(verbs().list(BOOK, { filter }));
        expect([code, message]).toEqual(['BadRequest', expect.stringContaining(reason)]);
      }
    });

    it('follows changes of the targets', async () => {
      const list = async (): Promise<string[]> =>
        (await verbs().list(BOOK, { filter: `ref(spec.author).${TEAM} == "red"`, size: 10 })).items.map(
          ({ metadata }) => metadata.name,
        );
      expect(await list()).toEqual(['one']);
      await verbs().patch(AUTHOR, 'bob', { metadata: { labels: { team: 'red' } } }, 'merge');
      expect(await list()).toEqual(['one', 'two']);
      await verbs().patch(AUTHOR, 'ann', { metadata: { labels: { team: 'blue' } } }, 'merge');
      expect(await list()).toEqual(['two']);
    });

    it('goes with order, pages, facets, and parts whose targets change meanwhile', async () => {
      const filter = 'ref(spec.author).metadata.name > "a"';
      const page = await verbs().list(BOOK, {
        filter,
        sort: 'spec.author,desc',
        page: 2,
        size: 1,
        facets: 'spec.author',
      });
      expect(page.items.map(({ metadata }) => metadata.name)).toEqual(['two']);
      expect(page.facets?.['spec.author']).toHaveLength(3);
      const first = await verbs().list(BOOK, { filter, limit: 2 });
      await verbs().patch(AUTHOR, 'cy', { metadata: { labels: { team: 'x' } } }, 'merge');
      const { continue: token = '' } = first.metadata;
      const rest = await verbs().list(BOOK, { filter, limit: 2, continue: token });
      expect([...first.items, ...rest.items].map(({ metadata }) => metadata.name)).toEqual([
        'one',
        'three',
        'two',
      ]);
    });

    it('has both sides in its explanation', async () => {
      const { condition, filters } = await verbs().explain(BOOK, {
        filter: `ref(spec.author).${TEAM} == "red"`,
      });
      expect(condition).toBe('ref(spec.author): metadata.labels = "team=red"');
      expect(filters.map((one) => [one.condition, one.matches])).toEqual([
        ['authors.library.example.com of spec.author: metadata.labels = "team=red"', 1],
        ['ref(spec.author): metadata.labels = "team=red"', 1],
      ]);
    });

    it('is not possible in a watch', async () => {
      const filter = `ref(spec.author).${TEAM} == "red"`;
      const watch = async (): Promise<unknown> => {
        for await (const event of verbs().watch(BOOK, { filter })) return event;
        return undefined;
      };
      expect(await refusal(watch())).toMatchObject({
        code: 'BadRequest',
        message: expect.stringContaining('only lists can have conditions with ref') as unknown,
      });
    });
  });
}
