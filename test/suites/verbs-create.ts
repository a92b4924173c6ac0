import { describe, expect, it } from 'vitest';
import type { ObjectDraft } from '../../src/model/object.js';
import { PERSON, PET } from '../helpers/models.js';
import {
  created,
  expectCode,
  namesOf,
  person,
  refusal,
  refusedFields,
  revisionOf,
  type DoorVerbs,
} from './verbs-helpers.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function createCases(verbs: DoorVerbs): void {
  describe('create', () => {
    it('sets the system fields and keeps the sent fields', async () => {
      const before = Number(await revisionOf(verbs()));
      const { object, warnings } = await verbs().create(PERSON, {
        metadata: { name: 'ann', labels: { 'example.com/team': 'a' }, annotations: { note: 'ä 😀' } },
        spec: { owner: 'x', age: 3 },
      });
      expect(object).toEqual({
        apiVersion: 'demo.example.com/v1',
        kind: 'Person',
        metadata: {
          name: 'ann',
          labels: { 'example.com/team': 'a' },
          annotations: { note: 'ä 😀' },
          uid: expect.stringMatching(UUID) as string,
          generation: 1,
          version: 0,
          resourceVersion: String(before + 1),
          creationTimestamp: expect.stringMatching(INSTANT) as string,
          updateTimestamp: object.metadata.creationTimestamp,
        },
        spec: { owner: 'x', age: 3, role: 'guest' },
      });
      expect(warnings).toEqual([]);
      expect(await verbs().get(PERSON, 'ann')).toEqual(object);
    });

    it('overwrites system fields that a client sets, without complaint', async () => {
      const sent = {
        uid: 'mine',
        generation: 7,
        version: 7,
        resourceVersion: '777777',
        creationTimestamp: '2001-01-01T00:00:00Z',
        updateTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      };
      const { metadata } = await created(verbs(), person('ann', {}, sent));
      expect(metadata).toMatchObject({ generation: 1, version: 0 });
      expect(metadata).not.toHaveProperty('deletionTimestamp');
      expect(metadata.uid).toMatch(UUID);
      expect(metadata.resourceVersion).not.toBe('777777');
      expect(metadata.creationTimestamp > '2020').toBe(true);
      expect(metadata.updateTimestamp).toBe(metadata.creationTimestamp);
    });

    it('gives two objects different uids and growing revisions', async () => {
      const ann = await created(verbs(), person('ann'));
      const bob = await created(verbs(), person('bob'));
      expect(ann.metadata.uid).not.toBe(bob.metadata.uid);
      expect(Number(bob.metadata.resourceVersion)).toBeGreaterThan(Number(ann.metadata.resourceVersion));
    });

    it('makes a name from generateName, another each time', async () => {
      const draft: ObjectDraft = { metadata: { generateName: 'job-' }, spec: {} };
      const names = new Set<string>();
      for (let i = 0; i < 5; i++) names.add((await created(verbs(), draft)).metadata.name);
      expect(names.size).toBe(5);
      for (const name of names) expect(name).toMatch(/^job-[a-z0-9]{5,}$/);
    });

    it('makes a name from generateName beside an empty name, as clients of Kubernetes send it', async () => {
      const { metadata } = await created(verbs(), { metadata: { name: '', generateName: 'job-' }, spec: {} });
      expect(metadata.name).toMatch(/^job-[a-z0-9]{5,}$/);
    });

    it.each([{ name: '' }, { generateName: '' }, { name: '', generateName: '' }])(
      'needs a name where metadata is %j',
      async (metadata) => {
        const error = await refusal(verbs().create(PERSON, { metadata, spec: {} }));
        expect(error).toMatchObject({ code: 'Invalid', details: { causes: [{ field: 'metadata.name' }] } });
      },
    );

    it('makes a name of at most 253 characters from the longest generateName', async () => {
      const { metadata } = await created(verbs(), { metadata: { generateName: 'g'.repeat(248) }, spec: {} });
      expect(metadata.name).toMatch(/^g{248}[a-z0-9]{5}$/);
    });

    it('prefers the name when generateName is sent too', async () => {
      expect((await created(verbs(), person('ann', {}, { generateName: 'x-' }))).metadata.name).toBe('ann');
    });

    it('stores a status that is sent', async () => {
      const object = await created(verbs(), { ...person('ann'), status: { phase: 'Ready' } });
      expect(object.status).toEqual({ phase: 'Ready' });
    });

    it('takes apiVersion and kind from the model when they are absent, and the same when they are sent', async () => {
      const same = { apiVersion: 'demo.example.com/v1', kind: 'Person', ...person('ann') };
      expect(await created(verbs(), same)).toMatchObject({ apiVersion: same.apiVersion, kind: 'Person' });
      expect(await created(verbs(), person('bob'))).toMatchObject({
        apiVersion: same.apiVersion,
        kind: 'Person',
      });
    });

    it.each<[string, ObjectDraft]>([
      ['apiVersion', { apiVersion: 'demo.example.com/v2' }],
      ['kind', { kind: 'Pet' }],
    ])('refuses another %s as a bad request', async (_field, more) => {
      await expectCode('BadRequest', verbs().create(PERSON, { ...person('ann'), ...more }));
      expect(await namesOf(verbs())).toEqual([]);
    });

    it.each<[string, ObjectDraft]>([
      ['no metadata', { spec: {} }],
      ['no name', { metadata: {}, spec: {} }],
    ])('refuses %s as invalid, naming metadata.name', async (_what, draft) => {
      expect(await refusedFields('Invalid', verbs().create(PERSON, draft))).toContain('metadata.name');
    });

    it.each(['a'.repeat(253), 'a', '0', 'a-b', 'a--b', '0-9'])('takes the name %.20s', async (name) => {
      expect((await created(verbs(), person(name))).metadata.name).toBe(name);
      expect((await verbs().get(PERSON, name)).metadata.name).toBe(name);
    });

    it.each(['a'.repeat(254), '', 'A', '-a', 'a-', 'a.b', 'a_b', 'ä', 'a/b', 'a b'])(
      'refuses the name "%.20s" as invalid',
      async (name) => {
        expect(await refusedFields('Invalid', verbs().create(PERSON, person(name)))).toContain(
          'metadata.name',
        );
      },
    );

    it('refuses a name that is taken, and leaves the first object as it is', async () => {
      const first = await created(verbs(), person('ann', { owner: 'x' }));
      const error = await refusal(verbs().create(PERSON, person('ann', { owner: 'y' })));
      expect(error.code).toBe('AlreadyExists');
      expect(error.details.name).toBe('ann');
      expect(await verbs().get(PERSON, 'ann')).toEqual(first);
    });

    it('takes the same name in another model', async () => {
      await created(verbs(), person('ann'));
      const { object } = await verbs().create(PET, { metadata: { name: 'ann' }, spec: { species: 'cat' } });
      expect(object.kind).toBe('Pet');
    });

    it('refuses a value that a unique index has, naming the index', async () => {
      await created(verbs(), person('ann', { nick: 'taken', emails: ['a@x', 'b@x'] }));
      const nick = verbs().create(PERSON, person('bob', { nick: 'taken' }));
      expect(await refusedFields('AlreadyExists', nick)).toEqual(['spec.nick']);
      const email = verbs().create(PERSON, person('bob', { emails: ['c@x', 'b@x'] }));
      expect(await refusedFields('AlreadyExists', email)).toEqual(['spec.emails']);
      expect(await namesOf(verbs())).toEqual(['ann']);
    });

    it('refuses all values that unique indexes have, together with what the schema refuses', async () => {
      await created(verbs(), person('ann', { nick: 'taken', emails: ['a@x', 'b@x'] }));
      const taken = { nick: 'taken', emails: ['b@x', 'c@x', 'a@x'] };
      const both = verbs().create(PERSON, person('bob', taken));
      expect(await refusedFields('AlreadyExists', both)).toEqual(['spec.emails', 'spec.emails', 'spec.nick']);
      const wrong = await refusal(
        verbs().create(PERSON, { ...person('bob'), spec: { owner: 'x', ...taken, emails: 3 } }),
      );
      expect(wrong.code).toBe('Invalid');
      expect(wrong.details.causes?.map(({ field, reason }) => [field, reason])).toEqual([
        ['spec.emails', 'FieldValueInvalid'],
        ['spec.nick', 'FieldValueDuplicate'],
      ]);
      expect(await namesOf(verbs())).toEqual(['ann']);
    });

    it.each([
      ['continues with a zero byte', 'taken', 'taken\0more'],
      ['continues with a zero byte, the other way round', 'taken\0more', 'taken'],
      ['is longer than an index key', 'k'.repeat(1000), 'k'.repeat(1001)],
      ['is longer than an index key, the other way round', 'k'.repeat(1001), 'k'.repeat(1000)],
      ['differs only far behind', `${'k'.repeat(2000)}a`, `${'k'.repeat(2000)}b`],
    ])('does not take a unique value for one that %s', async (_what, first, second) => {
      await created(verbs(), person('ann', { nick: first }));
      await created(verbs(), person('bob', { nick: second }));
      expect(await namesOf(verbs(), { sort: 'spec.nick' })).toEqual(
        first < second ? ['ann', 'bob'] : ['bob', 'ann'],
      );
      const again = verbs().create(PERSON, person('cid', { nick: second }));
      expect(await refusedFields('AlreadyExists', again)).toEqual(['spec.nick']);
    });

    it('lets any number of objects have no value in a unique index', async () => {
      await created(verbs(), person('ann'));
      await created(verbs(), person('bob', { emails: [] }));
      expect(await namesOf(verbs())).toEqual(['ann', 'bob']);
    });

    it('fills in defaults, but not over sent values', async () => {
      expect((await created(verbs(), person('ann'))).spec).toEqual({ role: 'guest' });
      expect((await created(verbs(), person('bob', { role: 'member' }))).spec).toEqual({ role: 'member' });
    });

    it('lists every violation with its path', async () => {
      const draft = person(
        'Bad_Name',
        { level: 0, code: 'abc', nick: 'x', role: 'king' },
        { labels: { a: 'b '.repeat(2) } },
      );
      const fields = await refusedFields(
        'Invalid',
        verbs().create(PERSON, { ...draft, status: { seen: 'no' } }),
      );
      expect(fields).toEqual(
        expect.arrayContaining([
          'metadata.name',
          'spec.code',
          'spec.level',
          'spec.nick',
          'spec.role',
          'status.seen',
        ]),
      );
      expect(fields.filter((field) => field.startsWith('metadata.labels'))).toHaveLength(1);
      expect(await namesOf(verbs())).toEqual([]);
    });

    it('names the element of a list that violates the schema', async () => {
      const draft = person('ann', { tags: ['ok', 3 as unknown as string] });
      expect(await refusedFields('Invalid', verbs().create(PERSON, draft))).toEqual(['spec.tags[1]']);
    });

    it.each([
      [1, true],
      [10, true],
      [0, false],
      [11, false],
    ])('holds the bounds of the schema: level %i, accepted: %s', async (level, accepted) => {
      const write = verbs().create(PERSON, person('ann', { level }));
      if (accepted) expect((await write).object.spec).toMatchObject({ level });
      else expect(await refusedFields('Invalid', write)).toEqual(['spec.level']);
    });

    it('takes labels up to a number, and refuses more with the path', async () => {
      const labels = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`example.com/k${i}`, 'v']));
      const { object } = await verbs().create(PERSON, person('ann', {}, { labels: labels(256) }));
      expect(Object.keys(object.metadata.labels ?? {})).toHaveLength(256);
      const write = verbs().create(PERSON, person('bob', {}, { labels: labels(257) }));
      expect(await refusedFields('Invalid', write)).toEqual(['metadata.labels']);
      const patch = { metadata: { labels: { 'example.com/more': 'v' } } };
      expect(await refusedFields('Invalid', verbs().patch(PERSON, 'ann', patch, 'merge'))).toEqual([
        'metadata.labels',
      ]);
    });

    it('takes any number of annotations, and checks each', async () => {
      const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`example.com/k${i}`, 'v']));
      const { object } = await verbs().create(PERSON, person('ann', {}, { annotations: many }));
      expect(Object.keys(object.metadata.annotations ?? {})).toHaveLength(5_000);
      const write = verbs().create(PERSON, person('bob', {}, { annotations: { ...many, 'a/b/c': 'v' } }));
      expect(await refusedFields('Invalid', write)).toEqual(['metadata.annotations.a/b/c']);
    });

    it('refuses a value that the index cannot hold, naming the index', async () => {
      const write = verbs().create(PERSON, person('ann', { serial: 'many', born: '2000-01-01T00:00:00Z' }));
      expect(await refusedFields('Invalid', write)).toEqual(['spec.serial']);
      expect(await namesOf(verbs())).toEqual([]);
    });

    it('answers a dry run as always and stores nothing', async () => {
      const before = await revisionOf(verbs());
      const { object } = await verbs().create(PERSON, person('ann'), { dryRun: true });
      expect(object).toMatchObject({ metadata: { name: 'ann', version: 0 }, spec: { role: 'guest' } });
      await expectCode('NotFound', verbs().get(PERSON, 'ann'));
      expect(await revisionOf(verbs())).toBe(before);
    });

    it('refuses in a dry run a create that it would refuse', async () => {
      await created(verbs(), person('ann', { nick: 'taken' }));
      await expectCode('AlreadyExists', verbs().create(PERSON, person('ann'), { dryRun: true }));
      await expectCode(
        'AlreadyExists',
        verbs().create(PERSON, person('bob', { nick: 'taken' }), { dryRun: true }),
      );
      await expectCode('Invalid', verbs().create(PERSON, person('B'), { dryRun: true }));
    });

    it('lets one of many creates of the same name win', async () => {
      const writes = Array.from({ length: 20 }, (_, i) => verbs().create(PERSON, person('ann', { age: i })));
      const settled = await Promise.allSettled(writes);
      expect(settled.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    });
  });

  describe('fields that no schema declares', () => {
    const draft = { metadata: { name: 'ann' }, spec: { onwer: 'x' } };

    it('are kept and named in a warning by default', async () => {
      const { object, warnings } = await verbs().create(PERSON, draft);
      expect(object.spec).toEqual({ onwer: 'x', role: 'guest' });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain('spec.onwer');
    });

    it('are kept silently with Ignore', async () => {
      const { object, warnings } = await verbs().create(PERSON, draft, { fieldValidation: 'Ignore' });
      expect(object.spec).toMatchObject({ onwer: 'x' });
      expect(warnings).toEqual([]);
    });

    it('are refused with Strict, with the declared name that is near', async () => {
      const error = await refusal(verbs().create(PERSON, draft, { fieldValidation: 'Strict' }));
      expect(error.code).toBe('Invalid');
      expect(error.details.causes).toHaveLength(1);
      expect(error.details.causes?.[0]).toMatchObject({ field: 'spec.onwer' });
      expect(error.message).toContain('owner');
      expect(await namesOf(verbs())).toEqual([]);
    });

    it('are treated the same on update and patch', async () => {
      await created(verbs(), person('ann'));
      const strict = { fieldValidation: 'Strict' } as const;
      expect(await refusedFields('Invalid', verbs().update(PERSON, 'ann', draft, strict))).toEqual([
        'spec.onwer',
      ]);
      const patch = verbs().patch(PERSON, 'ann', { spec: { onwer: 'x' } }, 'merge', strict);
      expect(await refusedFields('Invalid', patch)).toEqual(['spec.onwer']);
      expect((await verbs().update(PERSON, 'ann', draft)).warnings).toHaveLength(1);
    });
  });
}
