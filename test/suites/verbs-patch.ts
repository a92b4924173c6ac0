import { describe, expect, it } from 'vitest';
import type { PatchType } from '../../src/service/verbs.js';
import { PERSON } from '../helpers/models.js';
import { created, expectCode, person, refusedFields, revisionOf, type DoorVerbs } from './verbs-helpers.js';

export function patchCases(verbs: DoorVerbs): void {
  describe('patch', () => {
    it('merges: sets, keeps, removes by null, replaces lists', async () => {
      await created(
        verbs(),
        person('ann', { owner: 'x', age: 3, tags: ['a', 'b'] }, { labels: { a: '1', b: '2' } }),
      );
      const patch = { metadata: { labels: { a: null, c: '3' } }, spec: { age: null, tags: ['c'] } };
      const { object } = await verbs().patch(PERSON, 'ann', patch, 'merge');
      expect(object.metadata).toMatchObject({ labels: { b: '2', c: '3' }, version: 1, generation: 2 });
      expect(object.spec).toEqual({ owner: 'x', role: 'guest', tags: ['c'] });
      expect(await verbs().get(PERSON, 'ann')).toEqual(object);
    });

    it('is judged strictly for what it states, not for undeclared fields that others stored', async () => {
      const kept = { ...person('ann', { owner: 'x' }), extra: { note: 1 } };
      await verbs().create(PERSON, kept, { fieldValidation: 'Ignore' });
      const strict = { fieldValidation: 'Strict' } as const;
      const { object } = await verbs().patch(PERSON, 'ann', { spec: { age: 4 } }, 'merge', strict);
      expect(object).toMatchObject({ spec: { age: 4 }, extra: { note: 1 } });
      await expectCode('Invalid', verbs().patch(PERSON, 'ann', { other: 1 }, 'merge', strict));
      await expectCode('Invalid', verbs().patch(PERSON, 'ann', { extra: { note: 2 } }, 'merge', strict));
    });

    it('runs the operations of a JSON Patch in order', async () => {
      await created(verbs(), person('ann', { owner: 'x', tags: ['a'] }));
      const patch = [
        { op: 'test', path: '/spec/owner', value: 'x' },
        { op: 'add', path: '/spec/tags/-', value: 'b' },
        { op: 'add', path: '/spec/tags/0', value: 'c' },
        { op: 'remove', path: '/spec/owner' },
        { op: 'add', path: '/metadata/labels', value: { 'a/b': '1' } },
        { op: 'replace', path: '/metadata/labels/a~1b', value: '2' },
      ];
      const { object } = await verbs().patch(PERSON, 'ann', patch, 'json');
      expect(object.spec).toEqual({ role: 'guest', tags: ['c', 'a', 'b'] });
      expect(object.metadata.labels).toEqual({ 'a/b': '2' });
    });

    it.each<[string, unknown]>([
      [
        'a test that fails',
        [
          { op: 'add', path: '/spec/age', value: 1 },
          { op: 'test', path: '/spec/owner', value: 'y' },
        ],
      ],
      [
        'a pointer to nothing',
        [
          { op: 'add', path: '/spec/age', value: 1 },
          { op: 'remove', path: '/spec/none' },
        ],
      ],
      ['an index beyond the end', [{ op: 'add', path: '/spec/tags/5', value: 'x' }]],
    ])('refuses %s as invalid and stores nothing', async (_what, patch) => {
      const before = await created(verbs(), person('ann', { owner: 'x', tags: [] }));
      await expectCode('Invalid', verbs().patch(PERSON, 'ann', patch, 'json'));
      expect(await verbs().get(PERSON, 'ann')).toEqual(before);
    });

    it.each<[PatchType, unknown]>([
      ['merge', [1]],
      ['merge', 'text'],
      ['merge', null],
    ])('refuses what is no %s patch: %j', async (type, patch) => {
      await created(verbs(), person('ann'));
      await expectCode('BadRequest', verbs().patch(PERSON, 'ann', patch, type));
    });

    it.each<[PatchType, (version: number) => unknown]>([
      ['merge', (version) => ({ metadata: { version }, spec: { age: 1 } })],
      [
        'json',
        (version) => [
          { op: 'replace', path: '/metadata/version', value: version },
          { op: 'add', path: '/spec/age', value: 1 },
        ],
      ],
    ])('takes a version inside a %s patch as a lock', async (type, patch) => {
      await created(verbs(), person('ann'));
      await expectCode('Conflict', verbs().patch(PERSON, 'ann', patch(1), type));
      expect((await verbs().patch(PERSON, 'ann', patch(0), type)).object.metadata.version).toBe(1);
    });

    it('takes a resourceVersion inside a patch as a lock', async () => {
      const { metadata } = await created(verbs(), person('ann'));
      const patch = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { age: 1 } };
      await verbs().patch(PERSON, 'ann', patch, 'merge');
      await expectCode('Conflict', verbs().patch(PERSON, 'ann', patch, 'merge'));
    });

    it.each<[PatchType, unknown]>([
      ['merge', { metadata: { name: 'bob' } }],
      ['json', [{ op: 'replace', path: '/metadata/name', value: 'bob' }]],
      ['merge', { kind: 'Pet' }],
      ['merge', { apiVersion: 'demo.example.com/v9' }],
    ])('refuses a %s patch that makes it another object: %j', async (type, patch) => {
      await created(verbs(), person('ann'));
      await expectCode('BadRequest', verbs().patch(PERSON, 'ann', patch, type));
    });

    it('cannot change the fields that the service sets', async () => {
      const before = await created(verbs(), person('ann'));
      const sent = {
        uid: 'mine',
        generation: 9,
        creationTimestamp: null,
        deletionTimestamp: '2001-01-01T00:00:00Z',
      };
      expect((await verbs().patch(PERSON, 'ann', { metadata: sent }, 'merge')).object).toEqual(before);
    });

    it('stores nothing when nothing changes', async () => {
      const before = await created(verbs(), person('ann', { age: 1 }));
      const revision = await revisionOf(verbs());
      expect((await verbs().patch(PERSON, 'ann', { spec: { age: 1 } }, 'merge')).object).toEqual(before);
      expect((await verbs().patch(PERSON, 'ann', {}, 'merge')).object).toEqual(before);
      expect((await verbs().patch(PERSON, 'ann', [], 'json')).object).toEqual(before);
      expect(await revisionOf(verbs())).toBe(revision);
    });

    it('validates the result and holds unique indexes', async () => {
      await created(verbs(), person('ann', { nick: 'taken' }));
      await created(verbs(), person('bob'));
      const level = verbs().patch(PERSON, 'bob', { spec: { level: 0 } }, 'merge');
      expect(await refusedFields('Invalid', level)).toEqual(['spec.level']);
      const nick = verbs().patch(PERSON, 'bob', { spec: { nick: 'taken' } }, 'merge');
      expect(await refusedFields('AlreadyExists', nick)).toEqual(['spec.nick']);
    });

    it('refuses a name that nobody has', async () => {
      await expectCode('NotFound', verbs().patch(PERSON, 'ann', {}, 'merge'));
      await expectCode('NotFound', verbs().patch(PERSON, 'ann', [], 'json'));
    });

    it('answers a dry run as always and stores nothing', async () => {
      const before = await created(verbs(), person('ann'));
      const { object } = await verbs().patch(PERSON, 'ann', { spec: { age: 1 } }, 'merge', { dryRun: true });
      expect(object).toMatchObject({ metadata: { version: 1 }, spec: { age: 1 } });
      expect(await verbs().get(PERSON, 'ann')).toEqual(before);
    });

    it('loses none of many patches at the same time', async () => {
      await created(verbs(), person('ann'));
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          verbs().patch(PERSON, 'ann', { metadata: { labels: { [`l${i}`]: 'x' } } }, 'merge'),
        ),
      );
      const { metadata } = await verbs().get(PERSON, 'ann');
      expect(Object.keys(metadata.labels ?? {})).toHaveLength(20);
      expect(metadata.version).toBe(20);
    });
  });
}
