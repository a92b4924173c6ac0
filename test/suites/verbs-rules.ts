import { describe, expect, it } from 'vitest';
import { PET, PERSON } from '../helpers/models.js';
import { person, pet, refusal, refusedFields, type DoorVerbs } from './verbs-helpers.js';

/** The rules of the model of pets. */
export function rulesCases(verbs: DoorVerbs): void {
  describe('rules', () => {
    it('refuse a create, and say at which field and why', async () => {
      const error = await refusal(verbs().create(PET, pet('tom', { species: 'cat', chip: 'cat' })));
      expect(error.code).toBe('Invalid');
      expect(error.details.causes).toEqual([
        { field: 'spec.chip', reason: 'FieldValueInvalid', message: 'must not be the species' },
      ]);
    });

    it('refuse dry runs, updates and patches of each kind', async () => {
      const fields = (action: Promise<unknown>): Promise<string[]> => refusedFields('Invalid', action);
      const bad = pet('tom', { species: 'cat', chip: 'cat' });
      expect(await fields(verbs().create(PET, bad, { dryRun: true }))).toEqual(['spec.chip']);
      await verbs().create(PET, pet('tom'));
      expect(await fields(verbs().update(PET, 'tom', bad))).toEqual(['spec.chip']);
      expect(await fields(verbs().patch(PET, 'tom', { spec: { chip: 'cat' } }, 'merge'))).toEqual([
        'spec.chip',
      ]);
      const add = [{ op: 'add', path: '/spec/chip', value: 'cat' }];
      expect(await fields(verbs().patch(PET, 'tom', add, 'json'))).toEqual(['spec.chip']);
      await verbs().patch(PET, 'tom', { spec: { chip: '1' } }, 'merge');
    });

    it('that compare with the old object hold for updates', async () => {
      await verbs().create(PET, pet('tom', { species: 'cat', chip: 'locked-1' }));
      await verbs().patch(PET, 'tom', { metadata: { labels: { a: 'b' } } }, 'merge');
      const change = verbs().patch(PET, 'tom', { spec: { chip: '2' } }, 'merge');
      const { details } = await refusal(change);
      expect(details.causes).toEqual([
        { field: 'spec.chip', reason: 'FieldValueForbidden', message: 'is locked' },
      ]);
    });

    it('refuse a whole batch', async () => {
      const items = [
        { verb: 'create', resource: PERSON, object: person('ann') },
        { verb: 'create', resource: PET, object: pet('tom', { species: 'cat', chip: 'cat' }) },
      ] as const;
      expect(await refusedFields('Invalid', verbs().batch(items))).toEqual(['items[1].spec.chip']);
      expect((await verbs().list(PERSON)).items).toEqual([]);
    });
  });
}
