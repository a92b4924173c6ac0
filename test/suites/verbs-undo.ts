import { describe, expect, it } from 'vitest';
import type { BatchItem, ResourceRef, UndoneItem, Verbs } from '../../src/service/verbs.js';
import { AUTHOR, BOOK, named } from '../helpers/library.js';
import { PERSON } from '../helpers/models.js';
import { created, expectCode, person, refusal, revisionOf, type DoorVerbs } from './verbs-helpers.js';

const inWords = ({ verb, resource, name, isOverwritten }: UndoneItem): string =>
  `${verb} ${resource.plural}.${resource.group}/${resource.version} ${name}${isOverwritten ? ' overwritten' : ''}`;

async function contents(verbs: Verbs, ...models: readonly ResourceRef[]): Promise<unknown> {
  const pages = await Promise.all(models.map((model) => verbs.list(model)));
  return pages.map(({ items }) =>
    items.map(({ metadata, ...rest }) => {
      const { resourceVersion: _r, generation: _g, version: _v, updateTimestamp: _u, ...kept } = metadata;
      return { ...rest, metadata: kept };
    }),
  );
}

export function undoCases(verbs: DoorVerbs): void {
  describe('the undo of a commit', () => {
    it('takes back creates, updates and deletes, with uids and status, by any revision of the commit', async () => {
      await created(verbs(), person('gone', { age: 1 }, { labels: { team: 'red' } }));
      await verbs().update(PERSON, 'gone', { ...person('gone'), status: { seen: 1 } }, {}, 'status');
      await created(verbs(), person('changed', { age: 1 }));
      const before = await contents(verbs(), PERSON);
      const items: BatchItem[] = [
        { verb: 'create', resource: PERSON, object: person('new') },
        { verb: 'delete', resource: PERSON, name: 'gone' },
        { verb: 'patch', resource: PERSON, name: 'changed', patch: { spec: { age: 2 } }, type: 'merge' },
      ];
      const { resourceVersion } = await verbs().batch(items);
      const { items: undone } = await verbs().undoCommit(String(Number(resourceVersion) - 1));
      expect(undone.map(inWords).sort()).toEqual([
        'create persons.demo.example.com/v1 gone',
        'delete persons.demo.example.com/v1 new',
        'update persons.demo.example.com/v1 changed',
      ]);
      expect(await contents(verbs(), PERSON)).toEqual(before);
    });

    it('brings back what a deletion deleted and cleared, and can be undone itself', async () => {
      await verbs().create(AUTHOR, named('ann'));
      await verbs().create(BOOK, named('owned', { owner: 'ann' }));
      await verbs().create(BOOK, named('sequel', { sequelOf: 'owned' }));
      await verbs().create(BOOK, named('edited', { editor: 'ann', readers: ['ann'] }));
      const before = await contents(verbs(), AUTHOR, BOOK);
      await verbs().delete(AUTHOR, 'ann');
      const after = await contents(verbs(), AUTHOR, BOOK);
      expect(after).not.toEqual(before);
      const { resourceVersion } = await verbs().undoCommit(await revisionOf(verbs()));
      expect(await contents(verbs(), AUTHOR, BOOK)).toEqual(before);
      await verbs().undoCommit(resourceVersion);
      expect(await contents(verbs(), AUTHOR, BOOK)).toEqual(after);
    });

    it('is refused with the names of objects that were changed later, unless it is forced', async () => {
      await created(verbs(), person('a', { age: 1 }));
      const items = ['a', 'b'].map((name): BatchItem => ({ verb: 'delete', resource: PERSON, name }));
      await created(verbs(), person('b', { age: 1 }));
      const { resourceVersion } = await verbs().batch(items);
      await created(verbs(), person('a', { age: 7 }));
      const { code, message } = await refusal(verbs().undoCommit(resourceVersion));
      expect([code, message]).toEqual([
        'Conflict',
        'nothing was undone: later changes stand in the way, which force overwrites; changed: Person "a"',
      ]);
      await expectCode('NotFound', verbs().get(PERSON, 'b'));
      const { items: undone } = await verbs().undoCommit(resourceVersion, { force: true });
      expect(undone.map(inWords)).toEqual([
        'update persons.demo.example.com/v1 a overwritten',
        'create persons.demo.example.com/v1 b',
      ]);
      expect((await verbs().get(PERSON, 'a')).spec).toMatchObject({ age: 1 });
    });

    it('keeps the status and finalizers that controllers wrote after the commit', async () => {
      await created(verbs(), person('a', { age: 1 }));
      await verbs().patch(PERSON, 'a', { spec: { age: 2 } }, 'merge');
      const revision = await revisionOf(verbs());
      const finalizers = ['example.com/hold'];
      await verbs().patch(PERSON, 'a', { metadata: { finalizers } }, 'merge');
      await verbs().patch(PERSON, 'a', { status: { seen: 2 } }, 'merge', {}, 'status');
      await verbs().undoCommit(revision);
      const { metadata, spec, status } = await verbs().get(PERSON, 'a');
      expect([metadata.finalizers, spec, status]).toMatchObject([finalizers, { age: 1 }, { seen: 2 }]);
      await verbs().patch(PERSON, 'a', { metadata: { finalizers: [] } }, 'merge');
    });

    it('deletes no later object with an object that the commit created, unless it is forced', async () => {
      await verbs().create(AUTHOR, named('ann'));
      const revision = await revisionOf(verbs());
      await verbs().create(BOOK, named('later', { owner: 'ann' }));
      const { code, message } = await refusal(verbs().undoCommit(revision));
      expect([code, message]).toEqual(['Conflict', expect.stringContaining('Book "later"')]);
      expect((await verbs().list(BOOK)).items).toHaveLength(1);
      await verbs().undoCommit(revision, { force: true });
      expect((await verbs().list(BOOK)).items).toEqual([]);
    });

    it('does not take the mark of a deletion back', async () => {
      await created(verbs(), person('a', {}, { finalizers: ['example.com/hold'] }));
      await verbs().delete(PERSON, 'a');
      const revision = await revisionOf(verbs());
      for (const force of [false, true])
        expect((await refusal(verbs().undoCommit(revision, { force }))).message).toContain('being deleted');
      await verbs().patch(PERSON, 'a', { metadata: { finalizers: [] } }, 'merge');
      await expectCode('NotFound', verbs().get(PERSON, 'a'));
      await verbs().undoCommit(revision);
      expect((await verbs().get(PERSON, 'a')).metadata.finalizers).toEqual(['example.com/hold']);
      await verbs().patch(PERSON, 'a', { metadata: { finalizers: [] } }, 'merge');
    });

    it('stores nothing in a dry run', async () => {
      await created(verbs(), person('a'));
      const revision = await revisionOf(verbs());
      const { items } = await verbs().undoCommit(revision, { dryRun: true });
      expect(items.map(inWords)).toEqual(['delete persons.demo.example.com/v1 a']);
      expect(await revisionOf(verbs())).toBe(revision);
    });

    it('refuses revisions that are none, or in the future', async () => {
      for (const revision of ['', '0', '-1', '1.5', 'x', '99999999'])
        await expectCode('BadRequest', verbs().undoCommit(revision));
    });
  });
}
