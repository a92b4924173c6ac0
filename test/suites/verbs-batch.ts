import { describe, expect, it } from 'vitest';
import { ServiceError, type ErrorCode } from '../../src/errors.js';
import type { BatchItem } from '../../src/service/verbs.js';
import { PERSON, PET } from '../helpers/models.js';
import {
  created,
  expectCode,
  namesOf,
  person,
  pet,
  refusal,
  refusedFields,
  revisionOf,
  type DoorVerbs,
} from './verbs-helpers.js';
import type { DoorTraits } from './verbs.js';

export function batchCases(verbs: DoorVerbs, { unservedInBatch }: DoorTraits): void {
  describe('batch', () => {
    it('stores items of several models at one moment, answered in their order, their revisions without a gap', async () => {
      await created(verbs(), person('old'));
      await created(verbs(), person('gone'));
      const result = await verbs().batch([
        { verb: 'create', resource: PERSON, object: person('ann') },
        { verb: 'create', resource: PET, object: pet('cat') },
        { verb: 'patch', resource: PERSON, name: 'old', patch: { spec: { age: 1 } }, type: 'merge' },
        { verb: 'delete', resource: PERSON, name: 'gone' },
      ]);
      expect(result.items.map(({ object }) => object.metadata.name)).toEqual(['ann', 'cat', 'old', 'gone']);
      const revisions = result.items.map(({ object }) => Number(object.metadata.resourceVersion));
      const last = Number(result.resourceVersion);
      expect(revisions).toEqual([last - 3, last - 2, last - 1, last]);
      expect(await namesOf(verbs())).toEqual(['ann', 'old']);
      expect((await verbs().get(PET, 'cat')).metadata.resourceVersion).toBe(String(last - 2));
      expect(await revisionOf(verbs())).toBe(result.resourceVersion);
    });

    it('lets later items see the writes of earlier ones', async () => {
      const result = await verbs().batch([
        { verb: 'create', resource: PERSON, object: person('ann', { nick: 'one' }) },
        { verb: 'patch', resource: PERSON, name: 'ann', patch: { spec: { age: 1 } }, type: 'merge' },
        { verb: 'update', resource: PERSON, name: 'ann', object: person('ann', { age: 2 }, { version: 1 }) },
        { verb: 'create', resource: PERSON, object: person('bob', { nick: 'one' }) },
        { verb: 'delete', resource: PERSON, name: 'bob' },
        { verb: 'create', resource: PERSON, object: person('bob', { nick: 'one', age: 7 }) },
      ]);
      expect(result.items.map(({ object }) => object.metadata.version)).toEqual([0, 1, 2, 0, 1, 0]);
      expect(await namesOf(verbs())).toEqual(['ann', 'bob']);
      expect((await verbs().get(PERSON, 'bob')).spec).toMatchObject({ age: 7 });
    });

    const bad: [string, BatchItem, ErrorCode, string[]][] = [
      [
        'a name that is taken',
        { verb: 'create', resource: PERSON, object: person('old') },
        'AlreadyExists',
        ['items[2].metadata.name'],
      ],
      [
        'a unique value that is taken',
        { verb: 'create', resource: PERSON, object: person('x', { nick: 'taken' }) },
        'AlreadyExists',
        ['items[2].spec.nick'],
      ],
      [
        'a name that an earlier item took',
        { verb: 'create', resource: PERSON, object: person('ann') },
        'AlreadyExists',
        ['items[2].metadata.name'],
      ],
      [
        'two violations',
        { verb: 'create', resource: PERSON, object: person('x', { level: 0, code: 'x' }) },
        'Invalid',
        ['items[2].spec.code', 'items[2].spec.level'],
      ],
      [
        'an update that violates the schema',
        { verb: 'update', resource: PERSON, name: 'old', object: person('old', { level: 0 }) },
        'Invalid',
        ['items[2].spec.level'],
      ],
      [
        'a lock that does not hold',
        { verb: 'update', resource: PERSON, name: 'old', object: person('old', {}, { version: 9 }) },
        'Conflict',
        ['items[2].metadata.name'],
      ],
      [
        'a missing object',
        { verb: 'delete', resource: PET, name: 'nobody' },
        'NotFound',
        ['items[2].metadata.name'],
      ],
    ];
    it.each(bad)(
      'stores nothing of any model when one item has %s, and names it',
      async (_what, item, code, fields) => {
        await created(verbs(), person('old', { nick: 'taken' }));
        const revision = await revisionOf(verbs());
        const items: BatchItem[] = [
          { verb: 'create', resource: PERSON, object: person('ann') },
          { verb: 'create', resource: PET, object: pet('cat') },
          item,
          { verb: 'create', resource: PERSON, object: person('zed') },
        ];
        const error = await refusal(verbs().batch(items));
        expect(error).toBeInstanceOf(ServiceError);
        expect(error.code).toBe(code);
        expect(error.details.causes?.map((cause) => cause.field).sort()).toEqual(fields);
        expect(await namesOf(verbs())).toEqual(['old']);
        expect((await verbs().list(PET)).total).toBe(0);
        expect(await revisionOf(verbs())).toBe(revision);
      },
    );

    it('names the only item too when a unique value of it is taken', async () => {
      await created(verbs(), person('old', { nick: 'taken' }));
      const item = { verb: 'create', resource: PERSON, object: person('x', { nick: 'taken' }) } as const;
      const error = await refusal(verbs().batch([item]));
      expect(error.code).toBe('AlreadyExists');
      expect(error.message).toMatch(/^items\[0\]: /);
      expect(error.details.causes?.map(({ field }) => field)).toEqual(['items[0].spec.nick']);
    });

    it('stores nothing in a dry run, and answers as always', async () => {
      const revision = await revisionOf(verbs());
      const items: BatchItem[] = [
        { verb: 'create', resource: PERSON, object: person('ann') },
        { verb: 'patch', resource: PERSON, name: 'ann', patch: { spec: { age: 1 } }, type: 'merge' },
      ];
      const result = await verbs().batch(items, { dryRun: true });
      expect(result.items.map(({ object }) => object.metadata.version)).toEqual([0, 1]);
      expect(await namesOf(verbs())).toEqual([]);
      expect(await revisionOf(verbs())).toBe(revision);
    });

    it('moves no revision when nothing changes', async () => {
      await created(verbs(), person('ann'));
      const revision = await revisionOf(verbs());
      const result = await verbs().batch([
        { verb: 'update', resource: PERSON, name: 'ann', object: person('ann') },
      ]);
      expect(result.resourceVersion).toBe(revision);
      expect(await revisionOf(verbs())).toBe(revision);
    });

    it('holds strict validation for all items', async () => {
      const items: BatchItem[] = [
        { verb: 'create', resource: PERSON, object: person('ann') },
        { verb: 'create', resource: PERSON, object: { metadata: { name: 'bob' }, spec: { onwer: 'x' } } },
      ];
      const strict = verbs().batch(items, { fieldValidation: 'Strict' });
      expect(await refusedFields('Invalid', strict)).toEqual(['items[1].spec.onwer']);
    });

    it('warns of unknown fields at the item that has them', async () => {
      const { items } = await verbs().batch([
        { verb: 'create', resource: PERSON, object: person('ann') },
        { verb: 'create', resource: PERSON, object: { metadata: { name: 'bob' }, spec: { onwer: 'x' } } },
      ]);
      expect(items.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
      expect(items[1]?.warnings[0]).toContain('spec.onwer');
    });

    it('stores a thousand items at once', async () => {
      const items = Array.from({ length: 1000 }, (_, i): BatchItem => {
        return { verb: 'create', resource: PERSON, object: person(`p${i}`, { age: i }) };
      });
      await verbs().batch(items);
      expect((await verbs().list(PERSON, { size: 1 })).total).toBe(1000);
    });

    it('refuses an empty batch and a model that is not served', async () => {
      await expectCode('BadRequest', verbs().batch([]));
      const ghost = { ...PERSON, plural: 'ghosts', kind: 'Ghost' };
      await expectCode(
        unservedInBatch,
        verbs().batch([{ verb: 'create', resource: ghost, object: person('ann') }]),
      );
    });
  });
}
