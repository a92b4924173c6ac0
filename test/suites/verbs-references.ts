import { describe, expect, it } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import type { BatchItem, ResourceRef, Verbs } from '../../src/service/verbs.js';
import { AUTHOR, BOOK, named, SHELF } from '../helpers/library.js';
import { expectCode, refusal, refusedFields, type DoorVerbs } from './verbs-helpers.js';

const HELD = { finalizers: ['example.com/hold'] };

async function make(verbs: Verbs, resource: ResourceRef, ...names: readonly string[]): Promise<void> {
  for (const name of names) await verbs.create(resource, named(name));
}

async function book(verbs: Verbs, name: string, spec: object, metadata = {}): Promise<ExtensionObject> {
  return (await verbs.create(BOOK, named(name, spec, metadata))).object;
}

async function namesOf(verbs: Verbs, resource: ResourceRef): Promise<string[]> {
  return (await verbs.list(resource)).items.map(({ metadata }) => metadata.name);
}

async function specOf(verbs: Verbs, resource: ResourceRef, name: string): Promise<unknown> {
  return (await verbs.get(resource, name)).spec;
}

export function referenceCases(verbs: DoorVerbs): void {
  describe('a name that an object refers to', () => {
    it('must be there, and the refusal names every one that is not, with its field', async () => {
      await make(verbs(), AUTHOR, 'ann');
      const spec = { author: 'nobody', editor: 'ann', readers: ['ann', 'x', 'ann', 'y'] };
      const error = await refusal(book(verbs(), 'b', spec));
      expect(error.code).toBe('Invalid');
      expect(error.details.causes).toEqual([
        { field: 'spec.author', reason: 'FieldValueNotFound', message: 'Author "nobody" not found' },
        { field: 'spec.readers[1]', reason: 'FieldValueNotFound', message: 'Author "x" not found' },
        { field: 'spec.readers[3]', reason: 'FieldValueNotFound', message: 'Author "y" not found' },
      ]);
      await expectCode('NotFound', verbs().get(BOOK, 'b'));
      await book(verbs(), 'b', { author: 'ann', readers: ['ann'] });
      expect(
        await refusedFields(
          'Invalid',
          verbs().patch(BOOK, 'b', [{ op: 'add', path: '/spec/readers/-', value: 'z' }], 'json'),
        ),
      ).toEqual(['spec.readers[1]']);
      const rows = { rows: [{}, { first: 'b' }, { first: 'c' }] };
      expect(await refusedFields('Invalid', verbs().create(SHELF, named('s', rows)))).toEqual([
        'spec.rows[2].first',
      ]);
    });

    it('is refused together with what the schema refuses, except where the value has another type', async () => {
      await make(verbs(), AUTHOR, 'ann');
      const spec = { pages: 0, author: 'nobody', owner: 3, editor: 'ann', readers: ['ann', 'x'] };
      const fields = ['spec.author', 'spec.owner', 'spec.pages', 'spec.readers[1]'];
      expect(await refusedFields('Invalid', book(verbs(), 'b', spec))).toEqual(fields);
      await book(verbs(), 'b', { author: 'ann' });
      const patch = { spec: { pages: 0, author: 'nobody' } };
      expect(await refusedFields('Invalid', verbs().patch(BOOK, 'b', patch, 'merge'))).toEqual([
        'spec.author',
        'spec.pages',
      ]);
      // A batch may create what its items name.
      const items: BatchItem[] = [
        { verb: 'create', resource: BOOK, object: named('c', { pages: 0, author: 'bob', editor: 'x' }) },
        { verb: 'create', resource: AUTHOR, object: named('bob') },
      ];
      expect(await refusedFields('Invalid', verbs().batch(items))).toEqual([
        'items[0].spec.editor',
        'items[0].spec.pages',
      ]);
      const own = { pages: 0, sequelOf: 'own' };
      expect(await refusedFields('Invalid', book(verbs(), 'own', own))).toEqual(['spec.pages']);
    });

    it('is refused in a dry run as well', async () => {
      await expectCode('Invalid', verbs().create(BOOK, named('b', { author: 'x' }), { dryRun: true }));
    });

    it('may be the object itself, or one that the same batch creates later', async () => {
      await book(verbs(), 'own', { sequelOf: 'own' });
      await verbs().batch([
        { verb: 'create', resource: SHELF, object: named('s', { books: ['one', 'two'] }) },
        { verb: 'create', resource: BOOK, object: named('one', { sequelOf: 'two', author: 'ann' }) },
        { verb: 'create', resource: BOOK, object: named('two', { sequelOf: 'one' }) },
        { verb: 'create', resource: AUTHOR, object: named('ann') },
      ]);
      expect(await specOf(verbs(), BOOK, 'one')).toEqual({ sequelOf: 'two', author: 'ann' });
    });

    it('that a batch leaves without a target refuses all of it, and names the item', async () => {
      await make(verbs(), AUTHOR, 'ann');
      const items: BatchItem[] = [
        { verb: 'create', resource: AUTHOR, object: named('bob') },
        { verb: 'create', resource: BOOK, object: named('b', { author: 'bob', readers: ['ann', 'cy'] }) },
      ];
      expect(await refusedFields('Invalid', verbs().batch(items))).toEqual(['items[1].spec.readers[1]']);
      expect(await namesOf(verbs(), AUTHOR)).toEqual(['ann']);
      const gone: BatchItem[] = [
        { verb: 'create', resource: BOOK, object: named('b', { editor: 'ann' }) },
        { verb: 'delete', resource: AUTHOR, name: 'ann' },
      ];
      // It goes with the batch, and the value is cleared.
      await verbs().batch(gone);
      expect(await specOf(verbs(), BOOK, 'b')).toEqual({});
    });

    it('cannot be that of an object which is being deleted', async () => {
      await verbs().create(AUTHOR, named('ann', {}, HELD));
      await verbs().delete(AUTHOR, 'ann');
      const error = await refusal(book(verbs(), 'b', { editor: 'ann' }));
      expect(error.details.causes?.[0]?.message).toBe('Author "ann" is being deleted');
      expect(error.code).toBe('Invalid');
    });

    it('has its own index', async () => {
      await make(verbs(), AUTHOR, 'ann', 'bob');
      await book(verbs(), 'a', { author: 'ann', readers: ['bob', 'ann'] });
      await book(verbs(), 'b', { author: 'bob' });
      const of = async (fieldSelector: string): Promise<number> =>
        (await verbs().list(BOOK, { fieldSelector })).total;
      expect(await of('spec.author=ann')).toBe(1);
      expect(await of('spec.readers in (bob)')).toBe(1);
      expect(await of('!spec.readers')).toBe(1);
    });
  });

  describe('deleting an object that others refer to', () => {
    it('is refused with the number and the first ten referrers by model and name', async () => {
      await make(verbs(), AUTHOR, 'ann');
      const names = Array.from({ length: 12 }, (_, i) => `b${String(11 - i).padStart(2, '0')}`);
      await verbs().batch(
        names.map((name) => ({ verb: 'create', resource: BOOK, object: named(name, { author: 'ann' }) })),
      );
      const error = await refusal(verbs().delete(AUTHOR, 'ann'));
      expect(error.code).toBe('Conflict');
      expect(error.message).toContain('12 objects refer to it');
      expect(error.details.causes?.map(({ message }) => message)).toEqual(
        names
          .sort()
          .slice(0, 10)
          .map((name) => `Book "${name}" (books.library.example.com) refers to it in spec.author`),
      );
      await expectCode('Conflict', verbs().delete(AUTHOR, 'ann', { dryRun: true }));
      expect((await verbs().get(AUTHOR, 'ann')).metadata.version).toBe(0);
    });

    it('goes on when those that refer go or turn away in the same batch', async () => {
      await make(verbs(), AUTHOR, 'ann', 'bob');
      await book(verbs(), 'a', { author: 'ann' });
      await book(verbs(), 'b', { author: 'ann' });
      const items: BatchItem[] = [
        { verb: 'delete', resource: AUTHOR, name: 'ann' },
        { verb: 'delete', resource: BOOK, name: 'a' },
      ];
      expect(await refusedFields('Conflict', verbs().batch(items))).toEqual(['items[0].metadata.name']);
      await verbs().batch([
        ...items,
        { verb: 'patch', resource: BOOK, name: 'b', patch: { spec: { author: 'bob' } }, type: 'merge' },
      ]);
      expect(await namesOf(verbs(), AUTHOR)).toEqual(['bob']);
      expect(await namesOf(verbs(), BOOK)).toEqual(['b']);
    });

    it('goes on when the object is created again in the same batch', async () => {
      await make(verbs(), AUTHOR, 'ann');
      await book(verbs(), 'a', { author: 'ann', editor: 'ann' });
      await verbs().batch([
        { verb: 'delete', resource: AUTHOR, name: 'ann' },
        { verb: 'create', resource: AUTHOR, object: named('ann') },
      ]);
      expect(await specOf(verbs(), BOOK, 'a')).toEqual({ author: 'ann', editor: 'ann' });
    });

    it('deletes the objects that refer to it with cascade, and those that refer to them', async () => {
      await make(verbs(), AUTHOR, 'ann', 'bob');
      await book(verbs(), 'a', { owner: 'ann', author: 'bob' });
      await book(verbs(), 'b', { sequelOf: 'a' });
      await book(verbs(), 'c', { sequelOf: 'b' });
      await book(verbs(), 'd', { owner: 'bob' });
      const { object } = await verbs().delete(AUTHOR, 'ann');
      expect(object.metadata).not.toHaveProperty('finalizers');
      expect(await namesOf(verbs(), BOOK)).toEqual(['d']);
      const { items } = await verbs().history(BOOK, 'c');
      expect(items[0]).toMatchObject({ verb: 'delete' });
      await verbs().delete(AUTHOR, 'bob');
      expect(await namesOf(verbs(), BOOK)).toEqual([]);
    });

    it('ends with cycles of cascades', async () => {
      await verbs().batch(
        ['a', 'b', 'c'].map((name, i, all) => ({
          verb: 'create',
          resource: BOOK,
          object: named(name, { sequelOf: all[(i + 1) % 3] }, name === 'b' ? HELD : {}),
        })),
      );
      await book(verbs(), 'own', { sequelOf: 'own' });
      await verbs().delete(BOOK, 'own');
      await verbs().delete(BOOK, 'c');
      expect(await namesOf(verbs(), BOOK)).toEqual(['b']);
      const { metadata } = await verbs().get(BOOK, 'b');
      expect(metadata.deletionTimestamp).toBeDefined();
      await verbs().patch(BOOK, 'b', { metadata: { finalizers: null } }, 'merge');
      expect(await namesOf(verbs(), BOOK)).toEqual([]);
    });

    it('is refused when an object that would be deleted with it is referred to', async () => {
      await make(verbs(), AUTHOR, 'ann');
      await book(verbs(), 'a', { owner: 'ann' });
      await verbs().create(SHELF, named('s', { books: ['a'] }));
      const error = await refusal(verbs().delete(AUTHOR, 'ann'));
      expect(error.code).toBe('Conflict');
      expect(error.message).toContain('1 object refers to Book "a", which would be deleted with it');
      expect(await namesOf(verbs(), BOOK)).toEqual(['a']);
      await verbs().delete(SHELF, 's');
      await verbs().delete(AUTHOR, 'ann');
      expect(await namesOf(verbs(), BOOK)).toEqual([]);
    });

    it('deletes an object that refers to it by cascade, though that restricts it by another field', async () => {
      await make(verbs(), AUTHOR, 'ann', 'bob');
      await book(verbs(), 'a', { owner: 'ann', author: 'ann', editor: 'ann' });
      // It goes with the book, not with the author.
      await book(verbs(), 'b', { sequelOf: 'a', author: 'ann' });
      await book(verbs(), 'c', { author: 'ann', editor: 'ann' });
      const error = await refusal(verbs().delete(AUTHOR, 'ann'));
      expect(error.message).toContain('1 object refers to it');
      expect(error.details.causes?.map(({ message }) => message.split(' (')[0])).toEqual(['Book "c"']);
      expect(await specOf(verbs(), BOOK, 'c')).toEqual({ author: 'ann', editor: 'ann' });
      await verbs().patch(BOOK, 'c', { spec: { author: 'bob' } }, 'merge');
      await verbs().delete(AUTHOR, 'ann');
      expect(await namesOf(verbs(), BOOK)).toEqual(['c']);
      expect(await specOf(verbs(), BOOK, 'c')).toEqual({ author: 'bob' });
    });

    it('keeps an object that refers to it by a kept name, once the name is given again', async () => {
      await make(verbs(), AUTHOR, 'ann');
      await book(verbs(), 'a', { owner: 'ann', author: 'ann' }, HELD);
      await verbs().delete(AUTHOR, 'ann');
      await make(verbs(), AUTHOR, 'ann');
      const { items } = await verbs().referrers(AUTHOR, 'ann');
      expect(items.map(({ total }) => total)).toEqual([1, 1, 0, 0]);
      const { warnings } = await verbs().patch(BOOK, 'a', { spec: { pages: 2 } }, 'merge');
      expect(warnings).toEqual([]);
      // An object that is being deleted blocks no other deletion.
      await verbs().delete(AUTHOR, 'ann');
      expect(await namesOf(verbs(), AUTHOR)).toEqual([]);
      expect(await specOf(verbs(), BOOK, 'a')).toMatchObject({ owner: 'ann', author: 'ann' });
    });

    it('clears the value, and each item of a list, as a change of those that had it', async () => {
      await make(verbs(), AUTHOR, 'ann', 'bob');
      await book(verbs(), 'a', { editor: 'ann', readers: ['ann', 'bob', 'ann'], pages: 3 });
      await verbs().create(SHELF, named('s', { rows: [{ first: 'a' }, {}] }));
      await verbs().delete(AUTHOR, 'ann');
      const { spec, metadata } = await verbs().get(BOOK, 'a');
      expect(spec).toEqual({ readers: ['bob'], pages: 3 });
      expect(metadata).toMatchObject({ version: 1, generation: 2 });
      expect((await verbs().list(BOOK, { fieldSelector: 'spec.editor=ann' })).total).toBe(0);
      await verbs().delete(BOOK, 'a');
      expect(await specOf(verbs(), SHELF, 's')).toEqual({ rows: [{}, {}] });
    });

    it('does all of it at the delete when it has finalizers itself', async () => {
      await verbs().create(AUTHOR, named('ann', {}, HELD));
      await book(verbs(), 'a', { owner: 'ann' });
      await book(verbs(), 'b', { editor: 'ann' });
      await book(verbs(), 'c', { author: 'ann' });
      await expectCode('Conflict', verbs().delete(AUTHOR, 'ann'));
      await verbs().delete(BOOK, 'c');
      const { object } = await verbs().delete(AUTHOR, 'ann');
      expect(object.metadata).toMatchObject(HELD);
      expect(await namesOf(verbs(), BOOK)).toEqual(['b']);
      expect(await specOf(verbs(), BOOK, 'b')).toEqual({});
      await verbs().patch(AUTHOR, 'ann', { metadata: { finalizers: [] } }, 'merge');
      expect(await namesOf(verbs(), AUTHOR)).toEqual([]);
    });

    it('marks referrers with finalizers and goes at once; they keep the name until they go', async () => {
      await make(verbs(), AUTHOR, 'ann', 'bob');
      await book(verbs(), 'a', { owner: 'ann' }, HELD);
      await verbs().delete(AUTHOR, 'ann');
      expect(await namesOf(verbs(), AUTHOR)).toEqual(['bob']);
      const marked = await verbs().get(BOOK, 'a');
      expect(marked.metadata.deletionTimestamp).toBeDefined();
      expect(marked.spec).toEqual({ owner: 'ann' });
      const { warnings } = await verbs().patch(BOOK, 'a', { spec: { pages: 2 } }, 'merge');
      expect(warnings).toEqual([]);
      expect(
        await refusedFields('Invalid', verbs().patch(BOOK, 'a', { spec: { owner: 'cy' } }, 'merge')),
      ).toEqual(['spec.owner']);
      await verbs().patch(BOOK, 'a', { metadata: { finalizers: [] } }, 'merge');
      expect(await namesOf(verbs(), BOOK)).toEqual([]);
    });

    it('does not count referrers that are being deleted already', async () => {
      await make(verbs(), AUTHOR, 'ann');
      await book(verbs(), 'a', { author: 'ann' }, HELD);
      await verbs().delete(BOOK, 'a');
      await verbs().delete(AUTHOR, 'ann');
      expect(await namesOf(verbs(), AUTHOR)).toEqual([]);
    });
  });

  describe('an object that refers to another', () => {
    it('is listed by model and field, with numbers and the first names', async () => {
      await make(verbs(), AUTHOR, 'ann');
      await book(verbs(), 'b', { author: 'ann', readers: ['ann', 'ann'] });
      await book(verbs(), 'a', { author: 'ann' });
      const { items } = await verbs().referrers(AUTHOR, 'ann', { limit: 1 });
      const found = items.map(({ plural, field, onDelete, total, names }) => [
        `${plural} ${field} ${onDelete}`,
        total,
        names,
      ]);
      expect(found).toEqual([
        ['books spec.author restrict', 2, ['b']],
        ['books spec.owner cascade', 0, []],
        ['books spec.editor clear', 0, []],
        ['books spec.readers clear', 1, ['b']],
      ]);
      expect((await verbs().referrers(SHELF, 'x')).items).toEqual([]);
    });
  });
}
