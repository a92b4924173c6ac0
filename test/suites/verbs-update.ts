import { describe, expect, it } from 'vitest';
import type { ObjectDraft } from '../../src/model/object.js';
import { PERSON } from '../helpers/models.js';
import {
  created,
  expectCode,
  person,
  refusal,
  refusedFields,
  revisionOf,
  type DoorVerbs,
} from './verbs-helpers.js';
import type { DoorTraits } from './verbs.js';

export function updateCases(verbs: DoorVerbs, { tellsChanged }: DoorTraits): void {
  describe('update', () => {
    it.runIf(tellsChanged)('says whether anything changed', async () => {
      await created(verbs(), person('ann', { age: 1 }));
      expect((await verbs().update(PERSON, 'ann', person('ann', { age: 1 }))).changed).toBe(false);
      expect((await verbs().update(PERSON, 'ann', person('ann', { age: 2 }))).changed).toBe(true);
      expect((await verbs().patch(PERSON, 'ann', { spec: { age: 2 } }, 'merge')).changed).toBe(false);
      expect((await verbs().patch(PERSON, 'ann', { spec: { age: 3 } }, 'merge')).changed).toBe(true);
    });

    it('says if anything changed when the request names the revision it writes on', async () => {
      const { metadata } = await created(verbs(), person('ann', { age: 1 }));
      const ifMatch = [metadata.resourceVersion];
      const same = await verbs().update(PERSON, 'ann', person('ann', { age: 1 }), { ifMatch });
      expect(same.changed).toBe(false);
      const other = await verbs().patch(PERSON, 'ann', { spec: { age: 3 } }, 'merge', { ifMatch });
      expect(other.changed).toBe(true);
    });

    it('replaces all that the client states and removes what it does not', async () => {
      await created(verbs(), {
        ...person('ann', { owner: 'x', age: 3 }, { labels: { a: '1' }, annotations: { b: '2' } }),
        extra: 1,
      });
      const { object } = await verbs().update(PERSON, 'ann', person('ann', { age: 4 }));
      expect(object.spec).toEqual({ age: 4, role: 'guest' });
      expect(object).not.toHaveProperty('extra');
      expect(object.metadata).not.toHaveProperty('labels');
      expect(object.metadata).not.toHaveProperty('annotations');
      expect(await verbs().get(PERSON, 'ann')).toEqual(object);
    });

    it('keeps the fields that the service set, for any value that the client sends there', async () => {
      const before = await created(verbs(), person('ann'));
      const sent = {
        uid: 'mine',
        generation: 99,
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      };
      const { object } = await verbs().update(PERSON, 'ann', person('ann', { age: 1 }, sent));
      const { uid, creationTimestamp } = before.metadata;
      expect(object.metadata).toMatchObject({ uid, creationTimestamp, generation: 2, version: 1 });
      expect(object.metadata).not.toHaveProperty('deletionTimestamp');
    });

    it('keeps the status when the body has none, and replaces it when it has one', async () => {
      await created(verbs(), { ...person('ann'), status: { phase: 'Ready', seen: 1 } });
      const kept = await verbs().update(PERSON, 'ann', person('ann', { age: 1 }));
      expect(kept.object.status).toEqual({ phase: 'Ready', seen: 1 });
      const replaced = await verbs().update(PERSON, 'ann', {
        ...person('ann', { age: 1 }),
        status: { seen: 2 },
      });
      expect(replaced.object.status).toEqual({ seen: 2 });
    });

    it('counts versions by one and moves the revision', async () => {
      const first = await created(verbs(), person('ann'));
      for (let version = 1; version <= 3; version++) {
        const { object } = await verbs().update(PERSON, 'ann', person('ann', { age: version }));
        expect(object.metadata.version).toBe(version);
        expect(Number(object.metadata.resourceVersion)).toBe(
          Number(first.metadata.resourceVersion) + version,
        );
      }
    });

    it.each<[string, ObjectDraft, number]>([
      ['spec', { spec: { age: 1 } }, 2],
      ['another top-level field', { spec: { role: 'guest' }, data: 1 }, 2],
      ['labels', { metadata: { labels: { a: 'b' } } }, 1],
      ['annotations', { metadata: { annotations: { a: 'b' } } }, 1],
      ['finalizers', { metadata: { finalizers: ['a/b'] } }, 1],
      ['status', { status: { phase: 'Ready' } }, 1],
    ])('counts generations: a change of %s', async (_what, change, generation) => {
      await created(verbs(), person('ann'));
      const { object } = await verbs().update(PERSON, 'ann', { spec: {}, ...change });
      expect(object.metadata).toMatchObject({ version: 1, generation });
    });

    it('takes the stored version and revision as a lock that holds', async () => {
      const { metadata } = await created(verbs(), person('ann'));
      const { version, resourceVersion } = metadata;
      const { object } = await verbs().update(
        PERSON,
        'ann',
        person('ann', { age: 1 }, { version, resourceVersion }),
      );
      expect(object.metadata.version).toBe(1);
    });

    it.each([
      { version: '0' },
      { version: '' },
      { version: 0.5 },
      { version: true },
      { version: {} },
      { resourceVersion: 5 },
      { resourceVersion: ['5'] },
    ] as object[])('refuses %j, which is no version, in updates and patches', async (metadata) => {
      await created(verbs(), person('ann', { age: 1 }));
      const field = `metadata.${Object.keys(metadata).join()}`;
      const object = person('ann', { age: 2 }, metadata);
      const batch = [{ verb: 'update', resource: PERSON, name: 'ann', object }] as const;
      for (const write of [
        () => verbs().update(PERSON, 'ann', object),
        () => verbs().patch(PERSON, 'ann', { metadata, spec: { age: 2 } }, 'merge'),
        () =>
          verbs().patch(
            PERSON,
            'ann',
            [
              {
                op: 'add',
                path: `/${field.replace('.', '/')}`,
                value: Object.values<unknown>({ ...metadata })[0],
              },
            ],
            'json',
          ),
        () => verbs().batch(batch),
      ]) {
        const error = await refusal(write());
        expect([error.code, error.message]).toEqual([
          'BadRequest',
          expect.stringContaining(`${field} must be a`),
        ]);
      }
    });

    it.each([{ version: 1 }, { version: -1 }, { resourceVersion: '0' }, { resourceVersion: '999999' }])(
      'refuses a body that names another %j, even when it changes nothing',
      async (lock) => {
        await created(verbs(), person('ann'));
        await expectCode('Conflict', verbs().update(PERSON, 'ann', person('ann', { age: 1 }, lock)));
        await expectCode('Conflict', verbs().update(PERSON, 'ann', person('ann', {}, lock)));
        expect((await verbs().get(PERSON, 'ann')).metadata.version).toBe(0);
      },
    );

    it('writes without a check when the body names neither', async () => {
      await created(verbs(), person('ann'));
      await verbs().update(PERSON, 'ann', person('ann', { age: 1 }));
      expect((await verbs().update(PERSON, 'ann', person('ann', { age: 2 }))).object.metadata.version).toBe(
        2,
      );
    });

    it('lets one of many writers with the same version win', async () => {
      await created(verbs(), person('ann'));
      const writes = Array.from({ length: 10 }, (_, i) =>
        verbs().update(PERSON, 'ann', person('ann', { age: i }, { version: 0 })),
      );
      const settled = await Promise.allSettled(writes);
      expect(settled.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      expect((await verbs().get(PERSON, 'ann')).metadata.version).toBe(1);
    });

    it('holds ifMatch: writes at that revision, refuses another', async () => {
      const { metadata } = await created(verbs(), person('ann'));
      const ifMatch = [metadata.resourceVersion];
      await verbs().update(PERSON, 'ann', person('ann', { age: 1 }), { ifMatch });
      const stale = verbs().update(PERSON, 'ann', person('ann', { age: 2 }), { ifMatch });
      await expectCode('PreconditionFailed', stale);
      const patch = verbs().patch(PERSON, 'ann', { spec: { age: 2 } }, 'merge', { ifMatch });
      await expectCode('PreconditionFailed', patch);
    });

    it('stores nothing when nothing changes', async () => {
      const before = await created(verbs(), { ...person('ann', { tags: ['a'] }), status: { seen: 1 } });
      const revision = await revisionOf(verbs());
      for (const body of [person('ann', { tags: ['a'] }), before, { spec: { role: 'guest', tags: ['a'] } }]) {
        expect((await verbs().update(PERSON, 'ann', body)).object).toEqual(before);
      }
      expect(await revisionOf(verbs())).toBe(revision);
    });

    it('finds the object by its new values and no longer by the old ones', async () => {
      await created(verbs(), person('ann', { owner: 'x', tags: ['a', 'b'] }));
      await verbs().update(PERSON, 'ann', person('ann', { tags: ['b', 'c'] }));
      const total = async (fieldSelector: string): Promise<number> =>
        (await verbs().list(PERSON, { fieldSelector })).total;
      expect(await total('spec.owner=x')).toBe(0);
      expect(await total('spec.tags=a')).toBe(0);
      expect(await total('spec.tags=b')).toBe(1);
      expect(await total('spec.tags=c')).toBe(1);
    });

    it('refuses a value that a unique index has, naming the index, and stores nothing', async () => {
      await created(verbs(), person('ann', { nick: 'taken' }));
      const bob = await created(verbs(), person('bob', { nick: 'free' }));
      const write = verbs().update(PERSON, 'bob', person('bob', { nick: 'taken', owner: 'x' }));
      expect(await refusedFields('AlreadyExists', write)).toEqual(['spec.nick']);
      expect(await verbs().get(PERSON, 'bob')).toEqual(bob);
      expect((await verbs().list(PERSON, { fieldSelector: 'spec.owner=x' })).total).toBe(0);
    });

    it('lets an object keep its own unique value, and gives it free when it changes', async () => {
      await created(verbs(), person('ann', { nick: 'first', emails: ['a@x', 'b@x'] }));
      await verbs().update(PERSON, 'ann', person('ann', { nick: 'first', age: 1, emails: ['b@x', 'c@x'] }));
      await verbs().update(PERSON, 'ann', person('ann', { nick: 'second', emails: ['c@x'] }));
      const bob = await created(verbs(), person('bob', { nick: 'first', emails: ['a@x', 'b@x'] }));
      expect(bob.spec).toMatchObject({ nick: 'first' });
    });

    it('takes the name from the path, and refuses another in the body', async () => {
      await created(verbs(), person('ann'));
      expect((await verbs().update(PERSON, 'ann', { spec: { age: 1 } })).object.metadata.name).toBe('ann');
      await expectCode('BadRequest', verbs().update(PERSON, 'ann', person('bob')));
      await expectCode('BadRequest', verbs().update(PERSON, 'ann', { ...person('ann'), kind: 'Pet' }));
      await expectCode('BadRequest', verbs().update(PERSON, 'ann', { ...person('ann'), apiVersion: 'x/v1' }));
    });

    it('refuses a name that nobody has', async () => {
      await expectCode('NotFound', verbs().update(PERSON, 'ann', person('ann')));
    });

    it('lists every violation and stores nothing', async () => {
      const before = await created(verbs(), person('ann'));
      const write = verbs().update(PERSON, 'ann', person('ann', { level: 11, code: 'x' }));
      expect(await refusedFields('Invalid', write)).toEqual(['spec.code', 'spec.level']);
      expect(
        await refusedFields('Invalid', verbs().update(PERSON, 'ann', { metadata: { name: 'ann' } })),
      ).toEqual(['spec']);
      expect(await verbs().get(PERSON, 'ann')).toEqual(before);
    });

    it('answers a dry run as always and stores nothing', async () => {
      const before = await created(verbs(), person('ann'));
      const { object } = await verbs().update(PERSON, 'ann', person('ann', { age: 1 }), { dryRun: true });
      expect(object).toMatchObject({ metadata: { version: 1 }, spec: { age: 1 } });
      expect(await verbs().get(PERSON, 'ann')).toEqual(before);
    });
  });

  describe('the status sub-resource', () => {
    it('changes the status and nothing else by PUT', async () => {
      const before = await created(verbs(), person('ann', { owner: 'x' }, { labels: { a: 'b' } }));
      const body = {
        ...person('ann', { owner: 'y' }, { labels: { a: 'c' }, finalizers: ['x/y'] }),
        status: { phase: 'Ready' },
        extra: 1,
      };
      const { object } = await verbs().update(PERSON, 'ann', body, {}, 'status');
      const { version, resourceVersion, updateTimestamp } = object.metadata;
      expect(object).toEqual({
        ...before,
        status: { phase: 'Ready' },
        metadata: { ...before.metadata, version, resourceVersion, updateTimestamp },
      });
      expect(version).toBe(1);
    });

    it.each([
      ['merge' as const, { metadata: { labels: { a: 'c' } }, spec: { owner: 'y' }, status: { seen: 2 } }],
      [
        'json' as const,
        [
          { op: 'add', path: '/spec/owner', value: 'y' },
          { op: 'add', path: '/status/seen', value: 2 },
        ],
      ],
    ])('changes the status and nothing else by a %s patch', async (type, patch) => {
      const before = await created(verbs(), { ...person('ann', { owner: 'x' }), status: { phase: 'Ready' } });
      const { object } = await verbs().patch(PERSON, 'ann', patch, type, {}, 'status');
      expect(object.status).toEqual({ phase: 'Ready', seen: 2 });
      expect(object.spec).toEqual(before.spec);
      expect(object.metadata).toMatchObject({ generation: 1, version: 1 });
      expect(object.metadata).not.toHaveProperty('labels');
    });

    it('removes the status with a body that has none', async () => {
      await created(verbs(), { ...person('ann'), status: { phase: 'Ready' } });
      const { object } = await verbs().update(PERSON, 'ann', person('ann'), {}, 'status');
      expect(object).not.toHaveProperty('status');
    });

    it('holds the lock, the schema and the no-op rule', async () => {
      const before = await created(verbs(), { ...person('ann'), status: { phase: 'Ready' } });
      const locked = { ...person('ann', {}, { version: 3 }), status: { seen: 1 } };
      await expectCode('Conflict', verbs().update(PERSON, 'ann', locked, {}, 'status'));
      const wrong = verbs().update(PERSON, 'ann', { status: { seen: 'no' } }, {}, 'status');
      expect(await refusedFields('Invalid', wrong)).toEqual(['status.seen']);
      const same = await verbs().update(
        PERSON,
        'ann',
        { ...person('ann', { age: 9 }), status: { phase: 'Ready' } },
        {},
        'status',
      );
      expect(same.object).toEqual(before);
      await expectCode('NotFound', verbs().update(PERSON, 'bob', { status: {} }, {}, 'status'));
    });
  });
}
