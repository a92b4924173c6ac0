import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '../../src/query/condition.js';
import { Queries } from '../../src/query/condition-builders.js';
import type { Declaration } from '../../src/service/write/declare.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { expectCode, namesOf, person, refusal, refusedFields } from '../suites/verbs-helpers.js';

let t: TestService;
beforeEach(async () => {
  t = await openTestService();
  await registerModels(t);
});
afterEach(async () => {
  const found = await t.check();
  await t.close();
  removeDirectories();
  expect(found).toEqual([]);
});

describe('the answer of a write', () => {
  it('says whether anything was stored', async () => {
    expect((await t.service.create(PERSON, person('ann'))).changed).toBe(true);
    expect((await t.service.update(PERSON, 'ann', person('ann'))).changed).toBe(false);
    expect((await t.service.patch(PERSON, 'ann', { spec: { age: 1 } }, 'merge')).changed).toBe(true);
    expect((await t.service.patch(PERSON, 'ann', {}, 'merge')).changed).toBe(false);
    await t.service.patch(PERSON, 'ann', { metadata: { finalizers: ['a/b'] } }, 'merge');
    expect((await t.service.delete(PERSON, 'ann')).changed).toBe(true);
    expect((await t.service.delete(PERSON, 'ann')).changed).toBe(false);
  });

  it('leaves the caller’s object alone', async () => {
    const draft = Object.freeze({
      metadata: Object.freeze({ name: 'ann' }),
      spec: Object.freeze({ age: 1 }),
    });
    await t.service.create(PERSON, draft);
    await t.service.update(PERSON, 'ann', draft);
    expect(draft).toEqual({ metadata: { name: 'ann' }, spec: { age: 1 } });
  });
});

describe('an object of many kilobytes', () => {
  const note = (i: number) => ({ metadata: { annotations: { [`example.com/a${i}`]: 'x'.repeat(2_000) } } });

  it('keeps the changes of all who change it at the same time', async () => {
    await t.service.create(PERSON, person('ann', { tags: ['x'.repeat(80_000)] }));
    const writes = Array.from({ length: 40 }, (_, i) => t.service.patch(PERSON, 'ann', note(i), 'merge'));
    const versions = (await Promise.all(writes)).map(({ object }) => object.metadata.version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const { metadata } = await t.service.get(PERSON, 'ann');
    expect(Object.keys(metadata.annotations ?? {})).toHaveLength(40);
  });

  it('is refused by the lock when it changes while the write is planned', async () => {
    await t.service.create(PERSON, person('ann', { tags: ['x'.repeat(80_000)] }));
    const body = (i: number) => person('ann', { age: i, tags: ['x'.repeat(90_000)] }, { version: 0 });
    const writes = [1, 2, 3].map((i) => t.service.update(PERSON, 'ann', body(i)));
    const settled = await Promise.allSettled(writes);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await t.service.get(PERSON, 'ann')).metadata.version).toBe(1);
  });
});

describe('a plugin that writes', () => {
  const author = 'plugin' as const;

  it.each([
    ['a label without a prefix', { labels: { team: 'a' } }, 'metadata.labels'],
    ['a label with the platform’s prefix', { labels: { 'platform.run/team': 'a' } }, 'metadata.labels'],
    [
      'a label with a prefix below the platform’s',
      { labels: { 'x.platform.run/team': 'a' } },
      'metadata.labels',
    ],
    ['an annotation without a prefix', { annotations: { note: 'a' } }, 'metadata.annotations'],
  ])('is refused %s, which people may use', async (_what, metadata, field) => {
    const write = t.service.create(PERSON, person('ann', {}, metadata), { author });
    const fields = await refusedFields('Invalid', write);
    expect(fields).toHaveLength(1);
    expect(fields[0]).toContain(field);
    await t.service.create(PERSON, person('ann', {}, metadata));
  });

  it('may leave reserved keys that others have set, but not change them', async () => {
    await t.service.create(PERSON, person('ann', {}, { labels: { team: 'a' } }));
    await t.service.patch(PERSON, 'ann', { spec: { age: 1 } }, 'merge', { author });
    await expectCode(
      'Invalid',
      t.service.patch(PERSON, 'ann', { metadata: { labels: { team: 'b' } } }, 'merge', { author }),
    );
  });
});

describe('lists by queries', () => {
  it('hold ranges, texts and nesting', async () => {
    for (let age = 0; age < 10; age++)
      await t.service.create(PERSON, person(`p${age}`, { age, owner: `Owner ${age}` }));
    const names = (query: Condition): Promise<string[]> => namesOf(t.service, { query });
    expect(await names(Queries.between('spec.age', 2, true, 4, false))).toEqual(['p2', 'p3']);
    expect(
      await names(Queries.and(Queries.greaterThan('spec.age', 6), Queries.not(Queries.equal('spec.age', 8)))),
    ).toEqual(['p7', 'p9']);
    expect(
      await names(
        Queries.or(
          Queries.endsWith('spec.owner', ' 1'),
          Queries.contains('spec.owner', 'OWNER 2', { ignoreCase: true }),
        ),
      ),
    ).toEqual(['p1', 'p2']);
    expect(await t.service.count(PERSON, { query: Queries.greaterThan('spec.age', 6), size: 1 })).toBe(3);
    expect(
      await t.service.listNames(PERSON, { query: Queries.greaterThan('spec.age', 6), sort: 'spec.age' }),
    ).toEqual(['p9', 'p8', 'p7']);
  });

  it('refuse a value of another type, a text on numbers and a field without an index', async () => {
    for (const query of [
      Queries.equal('spec.age', true),
      Queries.startsWith('spec.age', '1'),
      Queries.isNull('spec.code'),
    ]) {
      await expectCode('BadRequest', t.service.list(PERSON, { query }));
    }
  });

  it('hold many objects of one long value next to longer ones, in both directions', async () => {
    const long = 'k'.repeat(1000);
    await t.service.batch(
      Array.from({ length: 2_300 }, (_, i) => {
        const owner = i % 10 === 0 ? `${long}${(2_300 - i).toString().padStart(4, '0')}` : long;
        return { verb: 'create', resource: PERSON, object: person(`p${i}`, { owner }) } as const;
      }),
    );
    const whole = (i: number): boolean => i % 10 !== 0;
    const all = Array.from({ length: 2_300 }, (_, i) => i);
    const equal = all
      .filter(whole)
      .map((i) => `p${i}`)
      .sort();
    const longer = all.filter((i) => !whole(i)).map((i) => `p${i}`);
    expect(await namesOf(t.service, { sort: 'spec.owner,asc' })).toEqual([...equal, ...longer.toReversed()]);
    expect(await namesOf(t.service, { sort: 'spec.owner,desc' })).toEqual([...longer, ...equal]);
    const selected = { fieldSelector: `spec.owner=${long}`, sort: 'spec.owner,desc' };
    expect(await namesOf(t.service, selected)).toEqual(equal);
  });
});

describe('the objects that a plugin declares', () => {
  function declaration(name: string, spec: Record<string, unknown>): Declaration {
    const metadata = { name, labels: { 'example.com/a': 'b' } };
    return {
      object: { apiVersion: 'demo.example.com/v1', kind: 'Person', metadata, spec },
      place: `${name}.yaml:1`,
    };
  }

  it('is created, then overwritten; status and finalizers stay', async () => {
    await t.service.declare([declaration('ann', { age: 1 }), declaration('bob', { age: 2 })]);
    const patch = {
      metadata: { finalizers: ['x/y'], labels: { other: 'c' } },
      spec: { owner: 'x', age: 9 },
      status: { seen: 1 },
    };
    await t.service.patch(PERSON, 'ann', patch, 'merge');
    await t.service.declare([declaration('ann', { age: 1 }), declaration('bob', { age: 2 })]);
    const ann = await t.service.get(PERSON, 'ann');
    expect(ann).toMatchObject({ metadata: { finalizers: ['x/y'], version: 2 }, status: { seen: 1 } });
    expect(ann.metadata.labels).toEqual({ 'example.com/a': 'b' });
    expect(ann.spec).toEqual({ age: 1, role: 'guest' });
    expect((await t.service.get(PERSON, 'bob')).metadata.version).toBe(0);
  });

  it('is stored whole or not at all, and the error says where it was read', async () => {
    const error = await refusal(
      t.service.declare([declaration('ann', {}), declaration('bob', { level: 0 })]),
    );
    expect(error.code).toBe('Invalid');
    expect(error.message).toContain('bob.yaml:1');
    expect(await namesOf(t.service)).toEqual([]);
  });
});
