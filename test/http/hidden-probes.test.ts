import { beforeEach, describe, expect, it } from 'vitest';
import { getApiVersion } from '../../src/model/resource.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import type { HttpAnswer } from '../helpers/http.js';
import { MEMO, MEMOS, memoRule, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes });
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete'];
const OWN = { filter: 'spec.owner == user' };
const TITLE = { fields: { read: ['spec.title'], write: ['spec.title'] } };

const memo = (name: string, spec: object, more: object = {}): object => ({
  apiVersion: getApiVersion(MEMO),
  kind: MEMO.kind,
  metadata: { name, ...more },
  spec,
});
const patch = (token: string, target: string, body: unknown): Promise<HttpAnswer> =>
  t.as(token, 'PATCH', target, body, 'application/merge-patch+json');
const apply = (token: string, name: string, spec: object, more: object = {}): Promise<HttpAnswer> =>
  t.as(
    token,
    'PATCH',
    `${MEMOS}/${name}?fieldManager=m`,
    memo(name, spec, more),
    'application/apply-patch+yaml',
  );

beforeEach(async () => {
  const spec = { owner: 'bob', team: 'red', title: 'three', salary: 's3' };
  await t.service().create(MEMO, { metadata: { name: 'b1' }, spec });
});

describe('a field that a user may neither read nor write', () => {
  it('is refused with any value, so that no value can be tried', async () => {
    const token = await t.tokenFor('ann', memoRule([...READ, ...WRITE], TITLE));
    for (const salary of ['s3', 'other']) {
      const merged = await patch(token, `${MEMOS}/b1?dryRun=All`, { spec: { salary } });
      const put = await t.as(token, 'PUT', `${MEMOS}/b1?dryRun=All`, memo('b1', { title: 'x', salary }));
      expect([salary, merged.status, put.status]).toEqual([salary, 403, 403]);
    }
    const put = await t.as(token, 'PUT', `${MEMOS}/b1`, memo('b1', { title: 'x' }));
    expect(put.status).toBe(200);
  });

  it('cannot be set by an apply that creates', async () => {
    const token = await t.tokenFor(
      'ann',
      memoRule(['get']),
      memoRule(['patch']),
      memoRule(['create'], TITLE),
    );
    expect((await apply(token, 'new', { title: 'x', salary: 's9' })).status).toBe(403);
    expect((await apply(token, 'new', { title: 'x' })).status).toBe(201);
  });

  it('cannot be removed with the last finalizer', async () => {
    await t.service().patch(MEMO, 'b1', { metadata: { finalizers: ['x.example.com/hold'] } }, 'merge');
    await t.service().delete(MEMO, 'b1');
    const token = await t.tokenFor(
      'ann',
      memoRule(READ),
      memoRule(['patch', 'update'], { fields: { write: ['spec.title'] } }),
    );
    expect((await patch(token, `${MEMOS}/b1`, { metadata: { finalizers: null } })).status).toBe(403);
    expect((await t.service().get(MEMO, 'b1')).metadata.finalizers).toEqual(['x.example.com/hold']);
  });
});

describe('what the service notes about an object', () => {
  it('has no hidden fields: managers and applied manifests', async () => {
    await t.service().delete(MEMO, 'b1');
    const admin = await t.tokenFor('root', memoRule(['*'], {}, ['*']));
    const applied = JSON.stringify(memo('b1', { title: 't', salary: 'secret-s' }));
    const annotations = {
      note: 'n',
      'xsvc.platform.run/last-applied': applied,
      'kubectl.kubernetes.io/last-applied-configuration': applied,
    };
    expect((await apply(admin, 'b1', { title: 't', salary: 'secret-s' }, { annotations })).status).toBe(201);
    const some = await t.tokenFor(
      'ann',
      memoRule([...READ], { fields: { read: ['metadata', 'spec.title'] } }),
    );
    const one = await t.as(some, 'GET', `${MEMOS}/b1`);
    const all = await t.as(some, 'GET', MEMOS);
    for (const text of [one.text, all.text]) expect(text).not.toMatch(/salary|secret-s/);
    expect(one.json().metadata.annotations).toMatchObject({ note: 'n' });
    const status = await t.tokenFor('sam', memoRule(['update', 'patch'], {}, ['memos/status']));
    const answer = await patch(status, `${MEMOS}/b1/status`, { status: { detail: 'x' } });
    expect([answer.status, answer.text]).toEqual([200, expect.not.stringMatching(/salary|secret-s/)]);
  });
});

describe('fields that a writer does not see', () => {
  const LAST = 'xsvc.platform.run/last-applied';

  it('stay in maps of which it writes a part', async () => {
    const nested = { open: '1', closed: '2' };
    const labels = { a: '1' };
    await t.service().patch(MEMO, 'b1', { metadata: { labels }, spec: { nested } }, 'merge');
    const token = await t.tokenFor(
      'ann',
      memoRule([...READ, ...WRITE], { fields: { read: ['spec.title'] } }),
    );
    const written = { metadata: { labels: { b: '2' } }, spec: { nested: { open: '3' } } };
    expect((await patch(token, `${MEMOS}/b1`, written)).status).toBe(200);
    const { metadata, spec } = await t.service().get(MEMO, 'b1');
    expect([metadata.labels, spec]).toMatchObject([
      { a: '1', b: '2' },
      { salary: 's3', nested: { open: '3', closed: '2' } },
    ]);
  });

  it('stay in the manifest that was applied', async () => {
    const manifestOf = (spec: object) => JSON.stringify(memo('b1', spec));
    const annotations = { [LAST]: manifestOf({ salary: 's3', title: 'three' }), other: 'text' };
    await t.service().patch(MEMO, 'b1', { metadata: { annotations } }, 'merge');
    const fields = {
      read: ['spec.title', 'metadata.annotations'],
      write: ['spec.title', 'metadata.annotations'],
    };
    const token = await t.tokenFor('ann', memoRule([...READ, ...WRITE], { fields }));
    const read = (await t.as(token, 'GET', `${MEMOS}/b1`)).json();
    expect(read.metadata.annotations).toEqual({ [LAST]: manifestOf({ title: 'three' }), other: 'text' });
    expect((await t.as(token, 'PUT', `${MEMOS}/b1`, { ...read, spec: { title: 'four' } })).status).toBe(200);
    expect((await t.service().get(MEMO, 'b1')).metadata.annotations).toEqual(annotations);
    const applied = {
      metadata: { annotations: { [LAST]: manifestOf({ title: 'five' }) } },
      spec: { title: 'five' },
    };
    expect((await patch(token, `${MEMOS}/b1`, applied)).status).toBe(200);
    const { metadata, spec } = await t.service().get(MEMO, 'b1');
    expect(JSON.parse(metadata.annotations?.[LAST] ?? '')).toEqual(
      memo('b1', { salary: 's3', title: 'five' }),
    );
    expect(spec).toMatchObject({ salary: 's3', title: 'five' });
    expect((await patch(token, `${MEMOS}/b1`, { metadata: { annotations: { [LAST]: null } } })).status).toBe(
      200,
    );
    expect((await t.service().get(MEMO, 'b1')).metadata.annotations).toEqual({ other: 'text' });
  });
});

describe('an object that a user does not see', () => {
  it('is missing for an apply too', async () => {
    const token = await t.tokenFor('ann', memoRule(['get', 'patch'], OWN));
    const hidden = await apply(token, 'b1', { title: 'x' });
    const missing = await apply(token, 'b2', { title: 'x' });
    expect([hidden.status, hidden.json().message.replaceAll('b1', 'b2')]).toEqual([
      missing.status,
      missing.json().message,
    ]);
  });

  it('is not counted by an undo before the right to it is asked for', async () => {
    const revision = (await t.service().patch(MEMO, 'b1', { spec: { title: 'x' } }, 'merge')).metadata
      .resourceVersion;
    await t.service().patch(MEMO, 'b1', { spec: { title: 'y' } }, 'merge');
    for (const [user, rules] of [
      ['ann', []],
      ['cat', [memoRule(['*'], OWN)]],
    ] as const) {
      const token = await t.tokenFor(user, ...rules);
      const answer = await t.as(
        token,
        'POST',
        '/apis/api.platform.run/v1alpha1/undos',
        { revision },
        'application/json',
      );
      expect([answer.status, answer.text]).toEqual([403, expect.not.stringContaining('later')]);
    }
  });
});

describe('hidden fields beside those that a sender sees', () => {
  const READS = { read: ['spec.title', 'spec.nested.open', 'spec.parts.open', 'metadata.labels.a'] };
  const SHOWN = { title: 'x' };
  const open = { open: '1' };
  const closed = { closed: '2' };
  type Body = Readonly<Record<string, unknown>>;
  const steps = (...all: readonly object[]): readonly object[] => all;

  it.each<[string, without: Body, withHidden: Body, body: Body | readonly object[]]>([
    [
      'the only seen member',
      { nested: open },
      { nested: { ...open, ...closed } },
      { nested: { open: null } },
    ],
    ['the parent', { nested: open }, { nested: { ...open, ...closed } }, { nested: null }],
    ['the parent of hidden ones alone', {}, { nested: closed }, { nested: null }],
    ['an empty parent', { nested: {} }, { nested: closed }, { nested: null }],
    ['a missing member', {}, { nested: closed }, { nested: { open: null } }],
    ['a member of an empty parent', {}, { nested: {} }, { nested: { open: null } }],
    ['an empty parent beside none', {}, { nested: closed }, { nested: {} }],
    ['a member', {}, { nested: closed }, { nested: open }],
    ['a list', { parts: [open] }, { parts: [{ ...open, ...closed }] }, { parts: null }],
    ['items of a list', { parts: [{}, open] }, { parts: [closed, open] }, { parts: [open] }],
    ['the parent, by steps', {}, { nested: closed }, steps({ op: 'remove', path: '/spec/nested' })],
    ['a test of the parent', {}, { nested: closed }, steps({ op: 'test', path: '/spec/nested', value: {} })],
    [
      'a member, by steps',
      {},
      { nested: closed },
      steps({ op: 'add', path: '/spec/nested/open', value: 'a' }),
    ],
  ])('do not show when a patch removes or states %s', async (_, without, withHidden, body) => {
    const limits = { fields: { ...READS, write: READS.read } };
    const token = await t.tokenFor('ann', memoRule([...READ, 'update', 'patch'], limits));
    const full = await t.tokenFor('fay', memoRule(['update', 'patch']), memoRule(READ, { fields: READS }));
    const type = Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json';
    const seen = async (hidden: Body, sender: string, method: string) => {
      const service = t.service();
      await service.delete(MEMO, 'probe').catch(() => undefined);
      const spec = { ...SHOWN, ...hidden };
      const { metadata } = await service.create(MEMO, { metadata: { name: 'probe' }, spec });
      const before = await t.as(sender, 'GET', `${MEMOS}/probe`);
      const patched = Array.isArray(body) ? body : { spec: body };
      const answer =
        method === 'PUT'
          ? await t.as(sender, 'PUT', `${MEMOS}/probe`, memo('probe', SHOWN))
          : await t.as(sender, 'PATCH', `${MEMOS}/probe`, patched, type);
      const after = await t.as(sender, 'GET', `${MEMOS}/probe`);
      const { spec: left, metadata: now } = after.json();
      const isChanged = now.resourceVersion !== metadata.resourceVersion;
      return [before.json().spec, answer.status, answer.json().spec, answer.json().message, left, isChanged];
    };
    for (const sender of [token, full])
      for (const method of ['PATCH', 'PUT'])
        expect(await seen(withHidden, sender, method)).toEqual(await seen(without, sender, method));
  });

  it('stay where a text stands in the place of a map', async () => {
    const limits = {
      fields: { read: ['spec.title', 'spec.owner.name'], write: ['spec.title', 'spec.owner.name'] },
    };
    const token = await t.tokenFor('ann', memoRule([...READ, 'update'], limits));
    expect((await t.as(token, 'PUT', `${MEMOS}/b1`, memo('b1', { title: 'new' }))).status).toBe(200);
    expect((await t.service().get(MEMO, 'b1')).spec).toMatchObject({ title: 'new', owner: 'bob' });
  });
});
