import { describe, expect, it } from 'vitest';
import { PERSON } from '../helpers/models.js';
import {
  created,
  expectCode,
  namesOf,
  person,
  refusedFields,
  revisionOf,
  type DoorVerbs,
} from './verbs-helpers.js';

const HELD = { finalizers: ['example.com/hold', 'example.com/keep'] };

export function deleteCases(verbs: DoorVerbs): void {
  describe('delete', () => {
    it('removes an object without finalizers at once and answers with it as it was left', async () => {
      const before = await created(verbs(), person('ann', { owner: 'x', nick: 'free' }));
      const { object } = await verbs().delete(PERSON, 'ann');
      const { version, resourceVersion, deletionTimestamp, updateTimestamp } = object.metadata;
      expect(object).toEqual({
        ...before,
        metadata: { ...before.metadata, version, resourceVersion, deletionTimestamp, updateTimestamp },
      });
      expect(deletionTimestamp).toMatch(/^\d{4}-.*\.\d{3}Z$/);
      expect(Number(resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
      expect(await namesOf(verbs(), { fieldSelector: 'spec.owner=x' })).toEqual([]);
    });

    it('gives name and unique values free, and a new object of the name is another one', async () => {
      const first = await created(verbs(), person('ann', { nick: 'free' }));
      await verbs().delete(PERSON, 'ann');
      const again = await created(verbs(), person('ann', { nick: 'free' }));
      expect(again.metadata).toMatchObject({ version: 0, generation: 1 });
      expect(again.metadata.uid).not.toBe(first.metadata.uid);
    });

    it('refuses a name that nobody has, and one that is gone', async () => {
      await expectCode('NotFound', verbs().delete(PERSON, 'ann'));
      await created(verbs(), person('ann'));
      await verbs().delete(PERSON, 'ann');
      await expectCode('NotFound', verbs().delete(PERSON, 'ann'));
    });

    it('stores nothing in a dry run', async () => {
      const before = await created(verbs(), person('ann'));
      const { object } = await verbs().delete(PERSON, 'ann', { dryRun: true });
      expect(object.metadata).toHaveProperty('deletionTimestamp');
      expect(await verbs().get(PERSON, 'ann')).toEqual(before);
    });

    it('holds ifMatch and preconditions, each with its own error', async () => {
      const { metadata } = await created(verbs(), person('ann'));
      const { uid, resourceVersion } = metadata;
      await expectCode('PreconditionFailed', verbs().delete(PERSON, 'ann', { ifMatch: ['999999'] }));
      await expectCode('Conflict', verbs().delete(PERSON, 'ann', { preconditions: { uid: 'other' } }));
      await expectCode(
        'Conflict',
        verbs().delete(PERSON, 'ann', { preconditions: { uid, resourceVersion: '999999' } }),
      );
      const preconditions = { uid, resourceVersion };
      await verbs().delete(PERSON, 'ann', { ifMatch: [resourceVersion], preconditions });
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
    });
  });

  describe('an object with finalizers', () => {
    it('is marked by a delete, and stays readable, listed and updatable', async () => {
      const before = await created(verbs(), person('ann', { owner: 'x', nick: 'held' }, HELD));
      const { object } = await verbs().delete(PERSON, 'ann');
      expect(object.metadata).toMatchObject({ version: 1, generation: before.metadata.generation, ...HELD });
      expect(object.metadata.deletionTimestamp).toBeDefined();
      expect(await verbs().get(PERSON, 'ann')).toEqual(object);
      expect(await namesOf(verbs(), { fieldSelector: 'spec.owner=x' })).toEqual(['ann']);
      const selector = `metadata.deletionTimestamp=${object.metadata.deletionTimestamp ?? ''}`;
      expect(await namesOf(verbs(), { fieldSelector: selector })).toEqual(['ann']);
      await expectCode('AlreadyExists', verbs().create(PERSON, person('ann')));
      await expectCode('AlreadyExists', verbs().create(PERSON, person('bob', { nick: 'held' })));

      const next = await verbs().update(PERSON, 'ann', person('ann', { owner: 'y' }, HELD));
      const { deletionTimestamp } = object.metadata;
      expect(next.object).toMatchObject({
        metadata: { version: 2, deletionTimestamp },
        spec: { owner: 'y' },
      });
    });

    it('is not changed by a second delete', async () => {
      await created(verbs(), person('ann', {}, HELD));
      const { object } = await verbs().delete(PERSON, 'ann');
      const revision = await revisionOf(verbs());
      expect((await verbs().delete(PERSON, 'ann')).object).toEqual(object);
      expect(await revisionOf(verbs())).toBe(revision);
    });

    it('can lose finalizers but not get new ones while it is being deleted', async () => {
      await created(verbs(), person('ann', {}, HELD));
      await verbs().delete(PERSON, 'ann');
      const more = { finalizers: [...HELD.finalizers, 'example.com/more'] };
      expect(await refusedFields('Invalid', verbs().update(PERSON, 'ann', person('ann', {}, more)))).toEqual([
        'metadata.finalizers',
      ]);
      const swapped = { metadata: { finalizers: ['example.com/other'] } };
      expect(await refusedFields('Invalid', verbs().patch(PERSON, 'ann', swapped, 'merge'))).toEqual([
        'metadata.finalizers',
      ]);
      const less = await verbs().update(
        PERSON,
        'ann',
        person('ann', {}, { finalizers: ['example.com/keep'] }),
      );
      expect(less.object.metadata.finalizers).toEqual(['example.com/keep']);
      const back = verbs().update(PERSON, 'ann', person('ann', {}, HELD));
      expect(await refusedFields('Invalid', back)).toEqual(['metadata.finalizers']);
    });

    it.each<[string, unknown]>([
      ['empties them', { metadata: { finalizers: [] } }],
      ['removes them', { metadata: { finalizers: null } }],
    ])('is gone with the update that %s', async (_what, patch) => {
      await created(verbs(), person('ann', { nick: 'held' }, HELD));
      const marked = await verbs().delete(PERSON, 'ann');
      const { object } = await verbs().patch(PERSON, 'ann', patch, 'merge');
      expect(object.metadata).toMatchObject({
        version: 2,
        deletionTimestamp: marked.object.metadata.deletionTimestamp,
      });
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
      expect((await verbs().list(PERSON)).total).toBe(0);
      await created(verbs(), person('bob', { nick: 'held' }));
    });

    it('stays when a status write or a refused update comes', async () => {
      await created(verbs(), person('ann', {}, HELD));
      await verbs().delete(PERSON, 'ann');
      await verbs().update(PERSON, 'ann', { status: { phase: 'Ending' } }, {}, 'status');
      await expectCode(
        'Invalid',
        verbs().patch(PERSON, 'ann', { metadata: { finalizers: [] }, spec: { level: 0 } }, 'merge'),
      );
      expect((await verbs().get(PERSON, 'ann')).status).toEqual({ phase: 'Ending' });
    });

    it('stays when the update that empties them is a dry run', async () => {
      await created(verbs(), person('ann', {}, HELD));
      await verbs().delete(PERSON, 'ann');
      await verbs().patch(PERSON, 'ann', { metadata: { finalizers: [] } }, 'merge', { dryRun: true });
      expect((await verbs().get(PERSON, 'ann')).metadata.finalizers).toEqual(HELD.finalizers);
    });

    it('stays when they are emptied before it is deleted, and then goes at once', async () => {
      await created(verbs(), person('ann', {}, HELD));
      await verbs().patch(PERSON, 'ann', { metadata: { finalizers: [] } }, 'merge');
      expect((await verbs().get(PERSON, 'ann')).metadata).not.toHaveProperty('deletionTimestamp');
      await verbs().delete(PERSON, 'ann');
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
    });

    it('cannot have its deletion taken back', async () => {
      await created(verbs(), person('ann', {}, HELD));
      await verbs().delete(PERSON, 'ann');
      const { object } = await verbs().patch(
        PERSON,
        'ann',
        { metadata: { deletionTimestamp: null } },
        'merge',
      );
      expect(object.metadata.deletionTimestamp).toBeDefined();
    });
  });
}
