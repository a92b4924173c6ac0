import { beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { GuardedVerbs } from '../../src/access/guarded-verbs.js';
import { ROLES, USERS } from '../../src/access/models.js';
import { rightsOfUser } from '../../src/access/sender-rights.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import type { HttpAnswer } from '../helpers/http.js';
import { openStream, type OpenStream, type StreamEvent } from '../helpers/watching.js';
import { FOLDER, MEMO, MEMOS, memoRule, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes });
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete'];
const OWN = { filter: 'spec.owner == user' };

const memo = (name: string, spec: object, more: object = {}): object => ({
  metadata: { name },
  spec,
  ...more,
});
const send = (token: string, method: string, target: string, body?: unknown): Promise<HttpAnswer> =>
  t.as(token, method, target, body, method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
const jsonPatch = (token: string, target: string, body: unknown): Promise<HttpAnswer> =>
  t.as(token, 'PATCH', target, body, 'application/json-patch+json');
const namesIn = (answer: HttpAnswer): unknown[] => answer.json().items.map(({ metadata }) => metadata.name);

beforeEach(async () => {
  const service = t.service();
  await service.create(FOLDER, { metadata: { name: 'open' }, spec: { owner: 'ann', code: 'f-open' } });
  await service.create(FOLDER, { metadata: { name: 'shut' }, spec: { owner: 'bob', code: 'f-shut' } });
  await service.create(
    MEMO,
    memo('a1', { owner: 'ann', team: 'red', title: 'one', salary: 's1', folder: 'shut' }),
  );
  await service.create(
    MEMO,
    memo('a2', { owner: 'ann', team: 'blue', title: 'two', salary: 's2', folder: 'open' }),
  );
  await service.create(MEMO, memo('b1', { owner: 'bob', team: 'red', title: 'three', salary: 's3' }));
});

describe('a rule with a filter', () => {
  it('answers lists, totals and facets as if there were no other objects', async () => {
    const ann = await t.tokenFor('ann', memoRule(READ, OWN));
    const list = await send(ann, 'GET', `${MEMOS}?page=1&size=1&facets=spec.team&aggregates=count`);
    expect(list.json()).toMatchObject({
      total: 2,
      totalPages: 2,
      facets: {
        'spec.team': [
          { value: 'blue', count: 1 },
          { value: 'red', count: 1 },
        ],
      },
      groups: [{ count: 2 }],
    });
    expect(namesIn(await send(ann, 'GET', `${MEMOS}?search=three`))).toEqual([]);
    expect(namesIn(await send(ann, 'GET', `${MEMOS}?search=one`))).toEqual(['a1']);
    expect(namesIn(await send(ann, 'GET', `${MEMOS}?fieldSelector=spec.team%3Dred`))).toEqual(['a1']);
    expect((await send(ann, 'GET', `${MEMOS}?explain=true`)).status).toBe(403);
  });

  it('hides other objects as if they did not exist', async () => {
    const ann = await t.tokenFor(
      'ann',
      memoRule([...READ, ...WRITE], OWN),
      memoRule(READ, OWN, ['memos/history']),
    );
    const missing = await send(ann, 'GET', `${MEMOS}/none`);
    for (const [method, path, body] of [
      ['GET', 'b1'],
      ['GET', 'b1/history'],
      ['GET', 'b1?resourceVersion=1000'],
      ['PUT', 'b1', memo('b1', {})],
      ['PATCH', 'b1', {}],
      ['DELETE', 'b1'],
    ] as const) {
      const answer = await send(ann, method, `${MEMOS}/${path}`, body);
      expect([answer.status, answer.json().message]).toEqual([
        404,
        missing.json().message.replace('none', 'b1'),
      ]);
    }
    expect((await send(ann, 'GET', `${MEMOS}/a1`)).json().spec).toMatchObject({ salary: 's1' });
    expect((await t.service().get(MEMO, 'b1')).metadata.version).toBe(0);
  });

  it('knows the groups of the user', async () => {
    const token = await t.tokenFor('cat', memoRule(READ, { filter: 'spec.team in groups' }));
    expect(namesIn(await send(token, 'GET', MEMOS))).toEqual([]);
    await t.service().patch(USERS, 'cat', { spec: { groups: ['red', 'green'] } }, 'merge');
    expect(namesIn(await send(token, 'GET', MEMOS))).toEqual(['a1', 'b1']);
  });

  it('adds up with other rules', async () => {
    const both = await t.tokenFor(
      'ann',
      memoRule(READ, OWN),
      memoRule(READ, { filter: 'spec.team == "red"' }),
    );
    expect(namesIn(await send(both, 'GET', MEMOS))).toEqual(['a1', 'a2', 'b1']);
    const all = await t.tokenFor('dora', memoRule(READ, OWN), memoRule(READ));
    expect(namesIn(await send(all, 'GET', MEMOS))).toEqual(['a1', 'a2', 'b1']);
    const named = await t.tokenFor(
      'eve',
      memoRule(['get'], { resourceNames: ['b1'] }),
      memoRule(['get'], OWN),
    );
    expect((await send(named, 'GET', `${MEMOS}/b1`)).status).toBe(200);
    expect((await send(named, 'GET', `${MEMOS}/a1`)).status).toBe(404);
  });

  it('judges writes before and after', async () => {
    const ann = await t.tokenFor('ann', memoRule([...READ, ...WRITE], OWN));
    expect((await send(ann, 'POST', MEMOS, memo('n1', { owner: 'ann' }))).status).toBe(201);
    const others = await send(ann, 'POST', MEMOS, memo('n2', { owner: 'bob' }));
    expect([others.status, others.json().message]).toEqual([
      403,
      'user "ann" may not create memos in group "notes.example.com": the rule is for other objects than this would be',
    ]);
    expect((await send(ann, 'PATCH', `${MEMOS}/a1`, { spec: { owner: 'bob' } })).status).toBe(403);
    expect((await send(ann, 'PATCH', `${MEMOS}/a1`, { spec: { team: 'green' } })).status).toBe(200);
    expect((await send(ann, 'DELETE', `${MEMOS}/a1`)).status).toBe(200);
    const items = [
      {
        verb: 'create',
        object: { apiVersion: 'notes.example.com/v1', kind: 'Memo', ...memo('n3', { owner: 'ann' }) },
      },
      {
        verb: 'create',
        object: { apiVersion: 'notes.example.com/v1', kind: 'Memo', ...memo('n4', { owner: 'bob' }) },
      },
    ];
    const batch = await send(ann, 'POST', '/apis/api.platform.run/v1alpha1/batches', { items });
    expect(batch.status).toBe(403);
    expect(await t.service().listNames(MEMO)).toEqual(['a2', 'b1', 'n1']);
  });

  it('does not name hidden objects that have a unique value', async () => {
    await t.service().patch(MEMO, 'b1', { spec: { number: '7' } }, 'merge');
    const ann = await t.tokenFor('ann', memoRule([...READ, ...WRITE], OWN));
    const answer = await send(ann, 'POST', MEMOS, memo('n1', { owner: 'ann', number: '7' }));
    expect([answer.status, answer.text.includes('b1')]).toEqual([409, false]);
    expect(answer.json().message).toContain('"7" is already used by another object');
    const all = await t.tokenFor('dora', memoRule([...READ, ...WRITE]));
    expect((await send(all, 'POST', MEMOS, memo('n1', { number: '7' }))).text).toContain('b1');
  });

  it('lets a user see more than it may write', async () => {
    const ann = await t.tokenFor('ann', memoRule(READ), memoRule(WRITE, OWN));
    expect(namesIn(await send(ann, 'GET', MEMOS))).toHaveLength(3);
    const answer = await send(ann, 'PATCH', `${MEMOS}/b1`, { spec: { team: 'green' } });
    expect([answer.status, answer.json().message]).toEqual([
      403,
      'user "ann" may not patch memos in group "notes.example.com": the rule is for other objects',
    ]);
  });

  it('limits what references lead to', async () => {
    const ann = await t.tokenFor('ann', memoRule(READ), memoRule(READ, OWN, ['folders']));
    const { included } = (await send(ann, 'GET', `${MEMOS}?expand=spec.folder`)).json();
    expect(included).toMatchObject({ 'folders.notes.example.com': { open: { spec: { code: 'f-open' } } } });
    expect(JSON.stringify(included)).not.toContain('shut');
    const filter = (code: string): string => encodeURIComponent(`ref(spec.folder).spec.code == "${code}"`);
    expect(namesIn(await send(ann, 'GET', `${MEMOS}?filter=${filter('f-open')}`))).toEqual(['a2']);
    expect(namesIn(await send(ann, 'GET', `${MEMOS}?filter=${filter('f-shut')}`))).toEqual([]);
    const one = (await send(ann, 'GET', `${MEMOS}/a1?expand=spec.folder`)).json();
    expect(one.included).toEqual({});
  });

  it('shows a change in the history only when the object was in the rule before and after it', async () => {
    const service = t.service();
    await service.patch(MEMO, 'b1', { spec: { title: 'bob-only' } }, 'merge');
    await service.patch(MEMO, 'b1', { spec: { owner: 'ann' } }, 'merge');
    const { resourceVersion } = (await service.patch(MEMO, 'b1', { spec: { title: 'of-ann' } }, 'merge'))
      .metadata;
    const ann = await t.tokenFor(
      'ann',
      memoRule(READ, OWN),
      memoRule(['get', 'list'], OWN, ['memos/history']),
    );
    const { items } = (await send(ann, 'GET', `${MEMOS}/b1/history`)).json();
    expect(items).toMatchObject([
      { resourceVersion, changes: [{ path: 'spec.title', from: 'bob-only', to: 'of-ann' }] },
    ]);
    const all = (await send(ann, 'GET', `${MEMOS}/-/history?before=true`)).json();
    expect(all.items.map((item) => item.name)).toEqual(['b1', 'a2', 'a1']);
    const past = Number(resourceVersion) - 2;
    expect(
      (await send(ann, 'GET', `${MEMOS}/b1?resourceVersion=${past}&resourceVersionMatch=Exact`)).status,
    ).toBe(404);
  });
});

describe('a watch', () => {
  const open = (token: string, query: string): Promise<OpenStream> =>
    openStream(`${t.url()}${MEMOS}?watch=true&${query}`, { authorization: `Bearer ${token}` });
  const shown = (events: readonly StreamEvent[]): unknown[] =>
    events.map(({ type, object }) => [type, object.metadata.name, object.spec]);

  it('has objects that come into the rule, and ends those that leave it with their last visible state', async () => {
    const service = t.service();
    const { resourceVersion } = await service.list(MEMO).then(({ metadata }) => metadata);
    const ann = await t.tokenFor(
      'ann',
      memoRule(READ, { ...OWN, fields: { read: ['spec.title', 'spec.owner'] } }),
    );
    const stream = await open(ann, `resourceVersion=${resourceVersion}`);
    await service.patch(MEMO, 'b1', { spec: { title: 'unseen' } }, 'merge');
    await service.patch(MEMO, 'b1', { spec: { owner: 'ann', title: 'seen' } }, 'merge');
    await service.patch(MEMO, 'a1', { spec: { owner: 'bob', title: 'hidden' } }, 'merge');
    await service.delete(MEMO, 'a1');
    await service.delete(MEMO, 'a2');
    expect(shown(await stream.take(3))).toEqual([
      ['ADDED', 'b1', { owner: 'ann', title: 'seen' }],
      ['DELETED', 'a1', { owner: 'ann', title: 'one' }],
      ['DELETED', 'a2', { owner: 'ann', title: 'two' }],
    ]);
    stream.destroy();
    expect(stream.text).not.toMatch(/hidden|unseen|s1/);
  });

  it('of one object is one of a missing object while the rule hides it', async () => {
    const ann = await t.tokenFor('ann', memoRule(READ, OWN));
    const stream = await openStream(`${t.url()}${MEMOS}/b1?watch=true`, { authorization: `Bearer ${ann}` });
    await t.service().patch(MEMO, 'b1', { spec: { owner: 'ann' } }, 'merge');
    expect(shown(await stream.take(1))).toMatchObject([['ADDED', 'b1', { owner: 'ann' }]]);
    stream.destroy();
  });

  it('ends when its sender may see other objects than before', async () => {
    const ann = await t.tokenFor('ann', memoRule(READ, OWN));
    const stream = await open(ann, 'sendInitialEvents=true&allowWatchBookmarks=true');
    await stream.take(3);
    await t
      .service()
      .patch(ROLES, 'ann', { rules: [memoRule(READ, { filter: 'spec.team == "red"' })] }, 'merge');
    const events = await stream.take(4);
    expect(events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await stream.ended).toBe(true);
    const again = await open(ann, 'sendInitialEvents=true&allowWatchBookmarks=true');
    const names = (await again.take(3)).map(({ type, object }) => object.metadata.name ?? type);
    expect(names).toEqual(['a1', 'b1', 'BOOKMARK']);
    again.destroy();
  });
});

describe('a rule with fields', () => {
  const PUBLIC = { fields: { read: ['spec.owner', 'spec.title', 'spec.nested.open', 'spec.parts.open'] } };

  it('shows only these, and what identifies an object', async () => {
    await t.service().patch(
      MEMO,
      'a1',
      {
        metadata: { labels: { secret: 'x' }, annotations: { note: 'x' } },
        spec: { nested: { open: '1', closed: '2' }, parts: [{ open: '3', closed: '4' }] },
      },
      'merge',
    );
    const token = await t.tokenFor('ann', memoRule(READ, PUBLIC), memoRule(READ, PUBLIC, ['memos/history']));
    const object = (await send(token, 'GET', `${MEMOS}/a1`)).json();
    expect(object.spec).toEqual({
      owner: 'ann',
      title: 'one',
      nested: { open: '1' },
      parts: [{ open: '3' }],
    });
    expect(Object.keys(object.metadata).sort()).toEqual(
      [
        'creationTimestamp',
        'generation',
        'name',
        'resourceVersion',
        'uid',
        'updateTimestamp',
        'version',
      ].sort(),
    );
    expect((await send(token, 'GET', `${MEMOS}?size=10`)).json().items[0]).toEqual(object);
    const { items } = (await send(token, 'GET', `${MEMOS}/a1/history`)).json();
    expect(items[0]?.changes).toEqual([
      { path: 'spec.nested', to: { open: '1' } },
      { path: 'spec.parts', to: [{ open: '3' }] },
    ]);
  });

  it('refuses lists that depend on others', async () => {
    const token = await t.tokenFor('ann', memoRule(READ, PUBLIC));
    for (const query of [
      'sort=spec.salary',
      'fieldSelector=spec.salary%3Ds1',
      'filter=spec.salary%20%3D%3D%20%22s1%22',
      'labelSelector=a',
      'facets=spec.salary',
      'facets=metadata.labels%5B%22a%22%5D',
      'aggregates=count&groupBy=spec.salary',
      'expand=spec.folder',
      'filter=ref(spec.folder).spec.code%20%3D%3D%20%22x%22',
      'search=one',
      'watch=true&fieldSelector=spec.salary%3Ds1',
    ])
      expect([query, (await send(token, 'GET', `${MEMOS}?${query}`)).status]).toEqual([query, 403]);
    expect(
      namesIn(
        await send(token, 'GET', `${MEMOS}?sort=spec.title,desc&filter=spec.owner%20%3D%3D%20%22ann%22`),
      ),
    ).toEqual(['a2', 'a1']);
  });

  it('keeps fields that the sender does not see', async () => {
    const token = await t.tokenFor('ann', memoRule([...READ, ...WRITE], PUBLIC));
    const put = await send(token, 'PUT', `${MEMOS}/a1`, memo('a1', { owner: 'ann', title: 'new' }));
    expect([put.status, put.json().spec]).toEqual([200, { owner: 'ann', title: 'new' }]);
    expect((await t.service().get(MEMO, 'a1')).spec).toMatchObject({
      title: 'new',
      salary: 's1',
      folder: 'shut',
    });
    const probe = await jsonPatch(token, `${MEMOS}/a1`, [{ op: 'test', path: '/spec/salary', value: 's1' }]);
    const wrong = await jsonPatch(token, `${MEMOS}/a1`, [
      { op: 'test', path: '/spec/salary', value: 'other' },
    ]);
    expect([probe.status, wrong.status]).toEqual([422, 422]);
    const copy = [{ op: 'copy', from: '/spec/salary', path: '/spec/title' }];
    expect((await jsonPatch(token, `${MEMOS}/a1`, copy)).status).toBe(422);
  });

  it('refuses to replace items whose other fields it hides', async () => {
    await t.service().patch(MEMO, 'a1', { spec: { parts: [{ open: '1', closed: '2' }] } }, 'merge');
    const token = await t.tokenFor('ann', memoRule([...READ, ...WRITE], PUBLIC));
    const same = memo('a1', { owner: 'ann', title: 'x', parts: [{ open: '1' }] });
    expect((await send(token, 'PUT', `${MEMOS}/a1`, same)).status).toBe(200);
    expect((await t.service().get(MEMO, 'a1')).spec).toMatchObject({ parts: [{ open: '1', closed: '2' }] });
    const other = await send(token, 'PATCH', `${MEMOS}/a1`, { spec: { parts: [] } });
    expect([other.status, other.json().message]).toEqual([
      403,
      'user "ann" may not patch memos in group "notes.example.com": you may not read all fields of the items of spec.parts',
    ]);
  });

  it('allows writes of these only', async () => {
    const write = { fields: { write: ['spec.title', 'spec.state'] } };
    const token = await t.tokenFor('ann', memoRule(READ), memoRule(WRITE, write));
    expect((await send(token, 'PATCH', `${MEMOS}/a1`, { spec: { title: 'x' } })).status).toBe(200);
    const refused = await send(token, 'PATCH', `${MEMOS}/a1`, { spec: { title: 'y', salary: 's9' } });
    expect([refused.status, refused.json().message]).toEqual([
      403,
      'user "ann" may not patch memos in group "notes.example.com": the rule does not include the field spec.salary',
    ]);
    expect((await send(token, 'PATCH', `${MEMOS}/a1`, { metadata: { labels: { a: 'b' } } })).status).toBe(
      403,
    );
    expect((await send(token, 'POST', MEMOS, memo('n1', { title: 'x' }))).status).toBe(201);
    expect((await send(token, 'POST', MEMOS, memo('n2', { title: 'x', owner: 'ann' }))).status).toBe(403);
    const { spec } = (await send(token, 'GET', `${MEMOS}/a1`)).json();
    const put = await send(token, 'PUT', `${MEMOS}/a1`, memo('a1', { ...spec, title: 'z' }));
    expect(put.status).toBe(200);
    expect((await send(token, 'PUT', `${MEMOS}/a1`, memo('a1', { title: 'z' }))).status).toBe(403);
  });

  it('are those of the rules that an object is in', async () => {
    const token = await t.tokenFor(
      'ann',
      memoRule(READ, OWN),
      memoRule(READ, { fields: { read: ['spec.title'] } }),
    );
    const { items } = (await send(token, 'GET', MEMOS)).json();
    expect(items.map(({ spec }) => Object.keys(spec).length > 1)).toEqual([true, true, false]);
    expect((await send(token, 'GET', `${MEMOS}?sort=spec.salary`)).status).toBe(403);
  });
});

describe('a role', () => {
  const refusal = async (rule: object): Promise<unknown> => {
    try {
      await t.service().create(ROLES, { metadata: { name: 'wrong' }, rules: [rule] });
    } catch (error) {
      return (error as { details: { causes: unknown } }).details.causes;
    }
    return undefined;
  };

  it('is refused with a filter that no index answers, or fields that no model has', async () => {
    for (const [limits, field, message] of [
      [
        { filter: 'spec.unknown == user' },
        'filter',
        /^for memos of notes.example.com\/v1: .*"spec.unknown" is not indexed/,
      ],
      [{ filter: 'spec.owner ==' }, 'filter', /./],
      [{ filter: 'spec.owner == groups' }, 'filter', /groups is a list/],
      [{ filter: 'metadata.creationTimestamp < now' }, 'filter', /now is not possible here/],
      [{ filter: 'ref(spec.folder).spec.code == user' }, 'filter', /./],
      [{ filter: 'spec.owner == user', resources: ['*'] }, 'filter', /needs the names of its models/],
      [
        { filter: 'spec.owner == user', nonResourceURLs: ['/version'] },
        'filter',
        /not possible with nonResourceURLs/,
      ],
      [
        { fields: { read: ['spec.titel'] } },
        'fields.read[0]',
        /no model of the rule has the field spec.titel/,
      ],
      [{ fields: { write: ['spec..title'] } }, 'fields.write[0]', /is not a dotted path/],
    ] as const)
      expect(await refusal(memoRule(READ, limits))).toMatchObject([
        { field: `rules[0].${field}`, message: expect.stringMatching(message) as string },
      ]);
    expect(
      await refusal({
        apiGroups: ['later.example.com'],
        resources: ['things'],
        verbs: READ,
        filter: 'spec.x == user',
      }),
    ).toBeUndefined();
  });

  it('with limits cannot be given on by its holder', async () => {
    const rights = [
      { apiGroups: ['access.platform.run'], resources: ['*'], verbs: ['create', 'get', 'list', 'update'] },
      memoRule(READ, OWN),
    ];
    const ann = await t.tokenFor('ann', ...rights);
    for (const rule of [
      memoRule(READ, OWN),
      memoRule(READ),
      memoRule(['get'], { filter: 'spec.owner == "bob"' }),
    ]) {
      const answer = await send(ann, 'POST', '/apis/access.platform.run/v1alpha1/roles', {
        metadata: { name: 'more' },
        rules: [rule],
      });
      expect([answer.status, answer.json().message]).toEqual([403, expect.stringContaining('escalate')]);
    }
  });

  it('does not allow plugins and reviews of others what it limits', async () => {
    const ann = await t.tokenFor('ann', memoRule(READ, OWN));
    const review = (kind: string, spec: object): Promise<HttpAnswer> =>
      send(ann, 'POST', `/apis/authorization.k8s.io/v1/${kind}`, { spec });
    const attributes = {
      resourceAttributes: { group: 'notes.example.com', resource: 'memos', verb: 'list' },
    };
    const own = await review('selfsubjectaccessreviews', attributes);
    expect(own.json().status).toEqual({
      allowed: true,
      reason: 'user "ann" has a role that allows it for some objects or fields',
    });
    const { status } = (await review('selfsubjectrulesreviews', {})).json();
    expect(status).toMatchObject({ resourceRules: [{ resources: ['memos'], filter: 'spec.owner == user' }] });
    const admin = await t.tokenFor('root', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const other = await send(admin, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { ...attributes, user: 'ann' },
    });
    expect(other.json().status).toMatchObject({ allowed: false });
  });
});

describe('the client of a plugin in the name of a user', () => {
  it('keeps to the rules of the user', async () => {
    await t.tokenFor(
      'ann',
      memoRule([...READ, ...WRITE], { ...OWN, fields: { read: ['spec.title', 'spec.owner'] } }),
    );
    const control = new AccessControl(t.service());
    const verbs = new GuardedVerbs(t.service(), async () =>
      rightsOfUser(control, await control.identityOf('ann')),
    );
    expect(await verbs.listNames(MEMO)).toEqual(['a1', 'a2']);
    expect(await verbs.count(MEMO)).toBe(2);
    const [one, other] = await verbs.getMany(MEMO, ['a1', 'b1']);
    expect([one?.spec, other]).toEqual([{ owner: 'ann', title: 'one' }, undefined]);
    await expect(verbs.get(MEMO, 'b1')).rejects.toThrow('not found');
    const all = [];
    for await (const { spec } of verbs.listAll(MEMO)) all.push(spec);
    expect(all).toEqual([
      { owner: 'ann', title: 'one' },
      { owner: 'ann', title: 'two' },
    ]);
    const { object } = await verbs.patch(MEMO, 'a1', { spec: { title: 'x' } }, 'merge');
    expect(object.spec).toEqual({ owner: 'ann', title: 'x' });
    await expect(verbs.patch(MEMO, 'b1', {}, 'merge')).rejects.toThrow('not found');
    await expect(verbs.create(MEMO, memo('n1', { owner: 'bob' }))).rejects.toThrow('may not create memos');
    await expect(verbs.batch([{ verb: 'delete', resource: MEMO, name: 'b1' }])).rejects.toThrow('not found');
  });
});

describe('relations of an object', () => {
  it('count only what the sender may see', async () => {
    await t.service().patch(MEMO, 'b1', { spec: { folder: 'shut' } }, 'merge');
    const path = '/apis/api.platform.run/v1alpha1/referrers?resource=folders.notes.example.com&name=shut';
    const rights = { apiGroups: ['api.platform.run'], resources: ['referrers'], verbs: ['list'] };
    const ann = await t.tokenFor('ann', rights, memoRule(READ, OWN), memoRule(READ, {}, ['folders']));
    expect((await send(ann, 'GET', path)).json().items).toMatchObject([{ total: 1, names: ['a1'] }]);
    const eve = await t.tokenFor('eve', rights, memoRule(READ, { fields: { read: ['spec.title'] } }));
    expect((await send(eve, 'GET', path)).json().items).toEqual([]);
  });
});
