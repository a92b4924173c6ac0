import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../src/model/object.js';
import { ownerReference } from '../../src/model/owner-references.js';
import { PERSON, PET } from '../helpers/models.js';
import { created, expectCode, namesOf, person, pet, refusedFields, type DoorVerbs } from './verbs-helpers.js';

const ANN: OwnerReference = {
  apiVersion: 'demo.example.com/v1',
  kind: 'Person',
  name: 'ann',
  uid: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
};
const BOB: OwnerReference = { ...ANN, name: 'bob', uid: 'bob-1' };

/** Owners as a client may state them, right or wrong. */
const owned = (...ownerReferences: unknown[]): object => ({ ownerReferences });

export function ownerCases(verbs: DoorVerbs): void {
  describe('owners', () => {
    it('are stored as they are stated, and kept by writes of other parts', async () => {
      const all = [
        { ...ANN, controller: true, blockOwnerDeletion: true },
        { ...BOB, controller: false },
      ];
      const before = await created(verbs(), person('rex', {}, owned(...all)));
      expect(before.metadata.ownerReferences).toEqual(all);
      const patched = await verbs().patch(PERSON, 'rex', { spec: { owner: 'x' } }, 'merge');
      expect(patched.object.metadata).toMatchObject({ ownerReferences: all, generation: 2 });
      const status = await verbs().update(PERSON, 'rex', { status: { phase: 'Up' } }, {}, 'status');
      expect(status.object.metadata.ownerReferences).toEqual(all);
    });

    it('are what an update states: those that it leaves out are gone', async () => {
      await created(verbs(), person('rex', {}, owned(ANN, BOB)));
      const one = await verbs().update(PERSON, 'rex', person('rex', {}, owned(BOB)));
      expect(one.object.metadata).toMatchObject({ ownerReferences: [BOB], generation: 1, version: 1 });
      const none = await verbs().update(PERSON, 'rex', person('rex'));
      expect(none.object.metadata).not.toHaveProperty('ownerReferences');
    });

    it('find their objects by a field selector, and none others', async () => {
      await created(verbs(), person('rex', {}, owned(ANN, BOB)));
      await created(verbs(), person('tom', {}, owned(BOB)));
      await created(verbs(), person('zoe'));
      const of = (selector: string): Promise<string[]> => namesOf(verbs(), { fieldSelector: selector });
      expect(await of(`metadata.ownerReferences.uid=${ANN.uid}`)).toEqual(['rex']);
      expect(await of('metadata.ownerReferences.uid=bob-1')).toEqual(['rex', 'tom']);
      expect(await of('metadata.ownerReferences.uid')).toEqual(['rex', 'tom']);
      expect(await of('!metadata.ownerReferences.uid')).toEqual(['zoe']);
      await verbs().patch(PERSON, 'rex', { metadata: { ownerReferences: null } }, 'merge');
      expect(await of('metadata.ownerReferences.uid=bob-1')).toEqual(['tom']);
    });

    const { uid: _uid, ...withoutUid } = ANN;
    it.each<[string, unknown[], string[]]>([
      ['without a uid', [withoutUid], ['[0].uid']],
      ['with an empty name', [BOB, { ...ANN, name: '' }], ['[1].name']],
      ['with a kind that is a number', [{ ...ANN, kind: 7 }], ['[0].kind']],
      ['with an empty apiVersion', [{ ...ANN, apiVersion: '' }], ['[0].apiVersion']],
      ['with a group of two parts', [{ ...ANN, apiVersion: 'a/b/v1' }], ['[0].apiVersion']],
      ['with a slash too many', [{ ...ANN, apiVersion: '/v1' }], ['[0].apiVersion']],
      ['whose controller is a text', [{ ...ANN, controller: 'yes' }], ['[0].controller']],
      ['that is a text', ['ann'], ['[0]']],
      [
        'that is a second controller',
        [
          { ...ANN, controller: true },
          { ...BOB, controller: true },
        ],
        ['[1].controller'],
      ],
      ['that is one too many', Array.from({ length: 257 }, () => ANN), ['']],
    ])('a reference %s is refused with its path', async (_what, references, fields) => {
      const write = verbs().create(PERSON, person('rex', {}, owned(...references)));
      expect(await refusedFields('Invalid', write)).toEqual(
        fields.map((field) => `metadata.ownerReferences${field}`),
      );
    });

    it('of the empty group are named by the bare version', async () => {
      const { metadata } = await created(verbs(), person('rex', {}, owned({ ...ANN, apiVersion: 'v1' })));
      expect(metadata.ownerReferences?.[0]?.apiVersion).toBe('v1');
    });
  });

  describe('the objects that an object owns', () => {
    it('is listed by model, with exact numbers and the first names', async () => {
      const ann = ownerReference(await created(verbs(), person('ann')));
      await created(verbs(), person('tom', {}, owned(ann)));
      await created(verbs(), person('rex', {}, owned(BOB, ann)));
      await created(verbs(), person('zoe', {}, { ...owned(ann), finalizers: ['a/b'] }));
      await created(verbs(), person('bob'));
      await verbs().create(PET, { ...pet('cat'), metadata: { name: 'cat', ...owned(ann) } });
      await verbs().delete(PERSON, 'zoe');
      const reported = async (limit?: number): Promise<unknown[]> =>
        (await verbs().dependents(PERSON, 'ann', limit === undefined ? {} : { limit })).items.map(
          ({ plural, total, shared, deleting, names }) => [plural, total, shared, deleting, names],
        );
      expect(await reported()).toEqual([
        ['persons', 3, 1, 1, ['tom', 'rex', 'zoe']],
        ['pets', 1, 0, 0, ['cat']],
      ]);
      expect(await reported(2)).toMatchObject([['persons', 3, 1, 1, ['tom', 'rex']], {}]);
      expect(await reported(0)).toMatchObject([['persons', 3, 1, 1, []], {}]);
      expect((await verbs().dependents(PERSON, 'bob')).items).toEqual([]);
      await expectCode('NotFound', verbs().dependents(PERSON, 'nobody'));
      // One of the same name is another object.
      await verbs().delete(PERSON, 'ann');
      await created(verbs(), person('ann'));
      expect(await reported()).toEqual([]);
    });

    it('is counted to the last of many', async () => {
      const ann = ownerReference(await created(verbs(), person('ann')));
      const names = Array.from({ length: 2_100 }, (_, i) => `p${i}`);
      await verbs().batch(
        names.map((name) => ({ verb: 'create', resource: PERSON, object: person(name, {}, owned(ann)) })),
      );
      const { items } = await verbs().dependents(PERSON, 'ann', { limit: 1_000 });
      expect(items.map(({ total }) => total)).toEqual([2_100]);
      expect(items[0]?.names).toEqual(names.slice(0, 1_000));
    });
  });

  describe('a propagation policy', () => {
    it.each([
      ['Foreground', 'foregroundDeletion'],
      ['Orphan', 'orphan'],
    ] as const)('%s holds the object by the finalizer %s', async (propagationPolicy, finalizer) => {
      await created(verbs(), person('ann', {}, { finalizers: ['a/b'] }));
      const { object } = await verbs().delete(PERSON, 'ann', { propagationPolicy });
      expect(object.metadata.finalizers).toEqual(['a/b', finalizer]);
      expect(object.metadata.deletionTimestamp).toBeDefined();
      expect(await verbs().get(PERSON, 'ann')).toEqual(object);
      const again = await verbs().delete(PERSON, 'ann', { propagationPolicy: 'Background' });
      expect(again.object).toEqual(object);
      await verbs().patch(PERSON, 'ann', { metadata: { finalizers: null } }, 'merge');
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
    });

    it('that is stated overrides the finalizers', async () => {
      await created(verbs(), person('ann', {}, { finalizers: ['orphan', 'a/b'] }));
      const first = await verbs().delete(PERSON, 'ann', { propagationPolicy: 'Foreground', dryRun: true });
      expect(first.object.metadata.finalizers).toEqual(['a/b', 'foregroundDeletion']);
      const default_ = await verbs().delete(PERSON, 'ann', { dryRun: true });
      expect(default_.object.metadata.finalizers).toEqual(['orphan', 'a/b']);
      await verbs().patch(PERSON, 'ann', { metadata: { finalizers: ['orphan'] } }, 'merge');
      await verbs().delete(PERSON, 'ann', { propagationPolicy: 'Background' });
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
    });

    it('is that of each item in a batch', async () => {
      for (const name of ['ann', 'bob', 'cy']) await created(verbs(), person(name));
      await verbs().batch([
        { verb: 'delete', resource: PERSON, name: 'ann', propagationPolicy: 'Orphan' },
        { verb: 'delete', resource: PERSON, name: 'bob', propagationPolicy: 'Foreground' },
        { verb: 'delete', resource: PERSON, name: 'cy' },
      ]);
      const { items } = await verbs().list(PERSON);
      expect(items.map(({ metadata }) => [metadata.name, metadata.finalizers])).toEqual([
        ['ann', ['orphan']],
        ['bob', ['foregroundDeletion']],
      ]);
    });

    it('that holds the object cannot be joined with taking all finalizers', async () => {
      await created(verbs(), person('ann'));
      const forced = { forceFinalizers: true, propagationPolicy: 'Orphan' } as const;
      await expectCode('BadRequest', verbs().delete(PERSON, 'ann', forced));
      await verbs().delete(PERSON, 'ann', { ...forced, propagationPolicy: 'Background' });
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
    });
  });
}
