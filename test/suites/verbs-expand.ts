import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectDraft } from '../../src/model/object.js';
import type { BatchItem, Included, ResourceRef } from '../../src/service/verbs.js';
import { AUTHOR, BOOK, named, SHELF } from '../helpers/library.js';
import { PERSON } from '../helpers/models.js';
import { person, refusal, type DoorVerbs } from './verbs-helpers.js';

const AUTHORS = 'authors.library.example.com';
const BOOKS = 'books.library.example.com';

function create(resource: ResourceRef, object: ObjectDraft): BatchItem {
  return { verb: 'create', resource, object };
}

const LIBRARY: readonly BatchItem[] = [
  ...['ann', 'bob', 'cy'].map((name) => create(AUTHOR, named(name))),
  create(BOOK, named('one', { author: 'ann', readers: ['bob', 'ann', 'bob'], sequelOf: 'two', pages: 1 })),
  create(BOOK, named('two', { author: 'bob', sequelOf: 'one', pages: 2 })),
  create(BOOK, named('three', { author: 'cy', sequelOf: 'three' })),
  create(BOOK, named('plain')),
  create(SHELF, named('high', { books: ['one', 'plain'], rows: [{ first: 'three' }, {}] })),
  create(SHELF, named('low', {})),
];

/** The names of included objects by model, in alphabetical order. */
function namesIn(included: Included | undefined): Record<string, string[]> | undefined {
  return (
    included &&
    Object.fromEntries(
      Object.entries(included).map(([model, objects]) => [model, Object.keys(objects).sort()]),
    )
  );
}

export function expandCases(verbs: DoorVerbs): void {
  describe('references that are followed in one answer', () => {
    beforeEach(async () => {
      await verbs().batch(LIBRARY);
    });

    it('lead from an object to their targets, each as a read of its own has it', async () => {
      const book = await verbs().get(BOOK, 'one', { expand: 'spec.author, spec.readers' });
      expect(book).toEqual({
        ...(await verbs().get(BOOK, 'one')),
        included: {
          [AUTHORS]: { ann: await verbs().get(AUTHOR, 'ann'), bob: await verbs().get(AUTHOR, 'bob') },
        },
      });
      expect(Object.keys(book).at(-1)).toBe('included');
    });

    it('lead on from targets, in at most three steps, and what is on the way is there too', async () => {
      const shelf = async (...expand: readonly string[]) =>
        namesIn((await verbs().get(SHELF, 'high', { expand })).included);
      expect(await shelf('spec.books')).toEqual({ [BOOKS]: ['one', 'plain'] });
      expect(await shelf('spec.books->spec.author')).toEqual({
        [AUTHORS]: ['ann'],
        [BOOKS]: ['one', 'plain'],
      });
      expect(await shelf(' spec.books -> spec.sequelOf -> spec.author ')).toEqual({
        [AUTHORS]: ['bob'],
        [BOOKS]: ['one', 'plain', 'two'],
      });
      expect(await shelf('spec.books->spec.sequelOf', 'spec.rows.first->spec.author,spec.books')).toEqual({
        [AUTHORS]: ['cy'],
        [BOOKS]: ['one', 'plain', 'three', 'two'],
      });
    });

    it('end in a cycle, where each object is there once', async () => {
      const steps = (count: number): string =>
        Array.from({ length: count }, () => 'spec.sequelOf').join('->');
      for (const expand of [steps(2), steps(3)])
        expect(namesIn((await verbs().get(BOOK, 'one', { expand })).included)).toEqual({
          [BOOKS]: ['one', 'two'],
        });
      const { included } = await verbs().get(BOOK, 'three', { expand: steps(3) });
      expect(namesIn(included)).toEqual({ [BOOKS]: ['three'] });
    });

    it('lead nowhere without a value, and are not followed unless asked for', async () => {
      expect((await verbs().get(BOOK, 'plain', { expand: 'spec.author' })).included).toEqual({});
      expect(
        (await verbs().list(SHELF, { expand: 'spec.books', fieldSelector: 'name=low' })).included,
      ).toEqual({});
      for (const options of [{}, { expand: '' }, { expand: [' '] }, { expand: [] }]) {
        expect(await verbs().get(BOOK, 'one', options)).not.toHaveProperty('included');
        expect(await verbs().list(BOOK, options)).not.toHaveProperty('included');
      }
    });

    it('lead from the objects of a page, and from no others', async () => {
      const expand = 'spec.author';
      const sorted = { sort: 'spec.author,desc', expand };
      const page = await verbs().list(BOOK, { ...sorted, page: 1, size: 1 });
      expect(page).toMatchObject({ total: 4, items: [{ metadata: { name: 'three' } }] });
      expect(page.included).toEqual({ [AUTHORS]: { cy: await verbs().get(AUTHOR, 'cy') } });
      const first = await verbs().list(BOOK, { ...sorted, limit: 1 });
      expect(namesIn(first.included)).toEqual({ [AUTHORS]: ['cy'] });
      const rest = await verbs().list(BOOK, { ...sorted, limit: 9, continue: first.metadata.continue ?? '' });
      expect(namesIn(rest.included)).toEqual({ [AUTHORS]: ['ann', 'bob'] });
      const filtered = await verbs().list(BOOK, {
        expand,
        filter: 'spec.author != "cy"',
        facets: 'spec.author',
      });
      expect(namesIn(filtered.included)).toEqual({ [AUTHORS]: ['ann', 'bob'] });
      expect(filtered.facets?.['spec.author']).toHaveLength(2);
      expect((await verbs().list(BOOK, { expand, page: 9, size: 2 })).included).toEqual({});
      expect(
        namesIn(
          (await verbs().list(BOOK, { expand: ['spec.author', 'spec.readers', 'spec.author'] })).included,
        ),
      ).toEqual({ [AUTHORS]: ['ann', 'bob', 'cy'] });
    });

    it('are left out of the other ways to read a list', async () => {
      const all: string[] = [];
      for await (const object of verbs().listAll(BOOK, { expand: 'spec.author' })) {
        all.push(object.metadata.name);
        expect(object).not.toHaveProperty('included');
      }
      expect(all).toEqual(['one', 'plain', 'three', 'two']);
      expect(await verbs().explain(BOOK, { expand: 'spec.author' })).not.toHaveProperty('included');
    });

    it.each([
      [
        'spec.pages',
        'expand: "spec.pages" is not a reference of Book; references of Book: spec.author, spec.owner, spec.editor, spec.readers, spec.sequelOf',
      ],
      ['spec', '"spec" is not a reference of Book'],
      ['spec.readers[0]', '"spec.readers[0]" is not a reference of Book'],
      ['spec.äöü😀', '"spec.äöü😀" is not a reference of Book'],
      ['__proto__', '"__proto__" is not a reference of Book'],
      ['spec.author->spec.name', '"spec.name" is not a reference of Author; Author has none'],
      ['spec.sequelOf->spec.authr', '"spec.authr" is not a reference of Book; references of Book: '],
      ['spec.author,', 'expand: a field is missing; write <field>[-><field>][,<field>]'],
      ['->spec.author', 'a field is missing'],
      ['spec.sequelOf->', 'a field is missing'],
      [
        'spec.sequelOf->spec.sequelOf->spec.sequelOf->spec.author',
        'follows 4 references; at most 3 are possible',
      ],
    ])('must be references of the model: %s', async (expand, message) => {
      for (const read of [verbs().get(BOOK, 'one', { expand }), verbs().list(BOOK, { expand, size: 1 })]) {
        const error = await refusal(read);
        expect([error.code, error.message]).toEqual(['BadRequest', expect.stringContaining(message)]);
      }
    });

    it('are named in a short message, however long the path is', async () => {
      for (const read of [
        verbs().get(BOOK, 'one', { expand: 'x'.repeat(9_000) }),
        verbs().list(BOOK, { expand: `spec.sequelOf->${'ä'.repeat(2_000)}` }),
      ]) {
        const error = await refusal(read);
        expect(error.code).toBe('BadRequest');
        expect(error.message.length).toBeLessThan(1_000);
      }
    });

    it('are refused for a model without any', async () => {
      await verbs().create(PERSON, person('ann'));
      const error = await refusal(verbs().get(PERSON, 'ann', { expand: 'spec.owner' }));
      expect(error.message).toBe('expand: "spec.owner" is not a reference of Person; Person has none');
    });

    it('do not hide that the object itself is missing', async () => {
      expect((await refusal(verbs().get(BOOK, 'gone', { expand: 'spec.author' }))).code).toBe('NotFound');
    });

    it('may lead to a thousand objects, and not to one more', async () => {
      const names = Array.from({ length: 1_001 }, (_, i) => `a${i}`);
      await verbs().batch(names.map((name) => create(AUTHOR, named(name))));
      await verbs().create(BOOK, named('most', { readers: names.slice(1) }));
      const most = await verbs().get(BOOK, 'most', { expand: 'spec.readers' });
      expect(Object.keys(most.included?.[AUTHORS] ?? {})).toHaveLength(1_000);
      await verbs().create(BOOK, named('same', { readers: names.slice(2), author: 'a1' }));
      const expand = 'spec.readers,spec.author';
      const both = await verbs().list(BOOK, { expand, fieldSelector: 'name in (most,same)' });
      expect(Object.keys(both.included?.[AUTHORS] ?? {})).toHaveLength(1_000);
      await verbs().create(BOOK, named('over', { readers: names }));
      for (const read of [verbs().get(BOOK, 'over', { expand }), verbs().list(BOOK, { expand })]) {
        const error = await refusal(read);
        expect([error.code, error.message]).toEqual([
          'BadRequest',
          expect.stringContaining('more than 1000 different objects'),
        ]);
      }
    });
  });

  describe('included objects in a body', () => {
    beforeEach(async () => {
      await verbs().create(AUTHOR, named('ann'));
    });

    it('are ignored, also where fields must be declared', async () => {
      const strict = { fieldValidation: 'Strict' } as const;
      const included = { [AUTHORS]: { ann: { spec: 'anything' } } };
      const made = await verbs().create(BOOK, { ...named('quoted', { author: 'ann' }), included }, strict);
      expect([made.warnings, made.object.included]).toEqual([[], undefined]);
      const read = await verbs().get(BOOK, 'quoted', { expand: 'spec.author' });
      const same = await verbs().update(BOOK, 'quoted', read, strict);
      expect([same.changed, same.warnings]).toEqual([false, []]);
      const merged = await verbs().patch(BOOK, 'quoted', { included, spec: { pages: 3 } }, 'merge', strict);
      expect([merged.warnings, merged.object.included]).toEqual([[], undefined]);
      const add = [{ op: 'add', path: '/included', value: included }];
      expect((await verbs().patch(BOOK, 'quoted', add, 'json', strict)).object.included).toBeUndefined();
      await verbs().batch([create(BOOK, { ...named('two'), included })], strict);
      for (const name of ['quoted', 'two'])
        expect(await verbs().get(BOOK, name)).not.toHaveProperty('included');
      const { items } = await verbs().history(BOOK, 'quoted');
      expect(items).toHaveLength(2);
      expect(items[0]?.changes.map(({ path }) => path)).toEqual(['spec.pages']);
    });
  });
}
