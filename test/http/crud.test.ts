import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PERSONS, PERSON_REF, person, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  expect(await server.check()).toEqual([]);
  expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  await server.clear();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

const create = (body: unknown, query = '') => server.send('POST', PERSONS + query, { body });
const put = (name: string, body: unknown, headers = {}, query = '') =>
  server.send('PUT', `${PERSONS}/${name}${query}`, { body, headers });
const merge = (name: string, body: unknown, headers = {}, query = '') =>
  server.send('PATCH', `${PERSONS}/${name}${query}`, { body, headers: { ...MERGE, ...headers } });
const jsonPatch = (name: string, body: unknown, query = '') =>
  server.send('PATCH', `${PERSONS}/${name}${query}`, { body, headers: JSON_PATCH });
const remove = (name: string, request = {}, query = '') =>
  server.send('DELETE', `${PERSONS}/${name}${query}`, request);

/** The shape that every error has. */
function failure(code: number, reason: string) {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason };
}

describe('POST', () => {
  it('answers 201 with the object, its place and its tag', async () => {
    const answer = await create(person('ann', { age: 3 }));
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${PERSONS}/ann`);
    expect(answer.headers['content-type']).toBe('application/json');
    const object = answer.json();
    expect(answer.headers.etag).toBe(`"${String(object.metadata.resourceVersion)}"`);
    expect(object).toMatchObject({
      apiVersion: 'demo.example.com/v1alpha1',
      kind: 'Person',
      metadata: { name: 'ann', version: 0, generation: 1 },
      spec: { name: 'Name of ann', age: 3 },
    });
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await server.get(`${PERSONS}/ann`)).json()).toEqual(object);
  });

  it('overwrites the fields that only the service sets', async () => {
    const system = {
      uid: 'mine',
      generation: 77,
      version: 99,
      resourceVersion: '12345',
      creationTimestamp: '2001-01-01T00:00:00.000Z',
      deletionTimestamp: '2001-01-01T00:00:00.000Z',
    };
    const { metadata } = (await create(person('ann', {}, system))).json();
    expect(metadata).toMatchObject({ generation: 1, version: 0 });
    expect(metadata.uid).not.toBe('mine');
    expect(metadata.resourceVersion).not.toBe('12345');
    expect(metadata.creationTimestamp).not.toMatch(/^2001/);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('refuses a name that is taken', async () => {
    await create(person('ann'));
    const answer = await create(person('ann', { age: 4 }));
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({
      ...failure(409, 'AlreadyExists'),
      details: {
        group: 'demo.example.com',
        kind: 'Person',
        name: 'ann',
        causes: [{ field: 'metadata.name' }],
      },
    });
    expect((await server.get(`${PERSONS}/ann`)).json().spec).not.toHaveProperty('age');
  });

  it('refuses a value that a unique index has, naming the index', async () => {
    await create(person('ann', { email: 'a@example.com' }));
    const answer = await create(person('bob', { email: 'a@example.com' }));
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({
      ...failure(409, 'AlreadyExists'),
      details: { causes: [{ field: 'spec.email', reason: 'FieldValueDuplicate' }] },
    });
    expect((await server.get(`${PERSONS}/bob`)).status).toBe(404);
  });

  it('names every violation of the model', async () => {
    const answer = await create({
      metadata: { name: 'ann' },
      spec: { age: -1, gender: 'X', tags: ['a', 2] },
    });
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject(failure(422, 'Invalid'));
    const fields = answer.json().details.causes.map(({ field }) => field);
    expect(fields.sort()).toEqual(['spec.age', 'spec.gender', 'spec.name', 'spec.tags[1]']);
  });

  it('refuses a body of another apiVersion or kind with 400, and takes one without', async () => {
    expect((await create({ apiVersion: 'demo.example.com/v2', ...person('ann') })).status).toBe(400);
    expect((await create({ kind: 'Persona', ...person('ann') })).status).toBe(400);
    const whole = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...person('ann') };
    expect((await create(whole)).status).toBe(201);
  });

  it('refuses an object without a name with 422', async () => {
    const answer = await create({ spec: { name: 'x' } });
    expect(answer.status).toBe(422);
    expect(answer.json().details.causes).toContainEqual(expect.objectContaining({ field: 'metadata.name' }));
  });

  it('makes a name from generateName', async () => {
    const one = await create({ metadata: { generateName: 'ann-' }, spec: { name: 'x' } });
    const two = await create({ metadata: { generateName: 'ann-' }, spec: { name: 'x' } });
    expect([one.status, two.status]).toEqual([201, 201]);
    const name = String(one.json().metadata.name);
    expect(name).toMatch(/^ann-[a-z0-9]{5,}$/);
    expect(one.headers.location).toBe(`${PERSONS}/${name}`);
    expect(two.json().metadata.name).not.toBe(name);
  });

  it('needs a body', async () => {
    const answer = await server.send('POST', PERSONS);
    expect([answer.status, answer.json().message]).toEqual([400, 'the body is empty']);
  });
});

describe('GET one', () => {
  it('answers with a tag, and 304 when the client has that revision', async () => {
    await create(person('ann'));
    const answer = await server.get(`${PERSONS}/ann`);
    expect(answer.status).toBe(200);
    const tag = String(answer.headers.etag);
    expect(tag).toBe(`"${String(answer.json().metadata.resourceVersion)}"`);
    for (const known of [tag, `W/${tag}`, `"0", ${tag}`, '*']) {
      const same = await server.get(`${PERSONS}/ann`, { 'if-none-match': known });
      expect([same.status, same.text, same.headers.etag]).toEqual([304, '', tag]);
    }
    await merge('ann', { spec: { age: 1 } });
    expect((await server.get(`${PERSONS}/ann`, { 'if-none-match': tag })).status).toBe(200);
  });

  it('has its own tag for each representation, and If-Match takes any of them', async () => {
    await create(person('ann'));
    const accepts = ['application/json', 'application/yaml', 'application/json;as=Table;v=v1;g=meta.k8s.io'];
    const tags = new Map<string, string>();
    for (const accept of accepts)
      tags.set(accept, String((await server.get(`${PERSONS}/ann`, { accept })).headers.etag));
    expect(new Set(tags.values()).size).toBe(3);
    const [, yaml = ''] = accepts;
    for (const [of, tag] of tags) {
      const same = await server.get(`${PERSONS}/ann`, { accept: yaml, 'if-none-match': tag });
      expect([of, same.status]).toEqual([of, of === yaml ? 304 : 200]);
    }
    for (const [i, tag] of [...tags.values()].entries()) {
      const headers = { 'if-match': `"0", ${tag}` };
      // The object is another one by then, and so is its tag.
      const expected = i === 0 ? 200 : 412;
      expect(
        (await server.send('PUT', `${PERSONS}/ann`, { headers, body: person('ann', { age: i }) })).status,
      ).toBe(expected);
    }
    for (const accept of accepts.slice(1)) {
      const tag = String((await server.get(`${PERSONS}/ann`, { accept })).headers.etag);
      const body = person('ann', { age: 50 + accept.length });
      const done = await server.send('PUT', `${PERSONS}/ann`, { headers: { accept, 'if-match': tag }, body });
      expect([accept, done.status]).toEqual([accept, 200]);
      expect(done.headers.etag).not.toBe(tag);
    }
    const headers = { 'if-match': '"1-foreign"' };
    expect((await server.send('DELETE', `${PERSONS}/ann`, { headers })).status).toBe(412);
  });

  it('is kept by no cache that serves others, and is asked for again each time', async () => {
    await create(person('ann'));
    const { headers } = await server.get(`${PERSONS}/ann`);
    const same = { 'if-none-match': String(headers.etag) };
    const answers = [
      await server.get(`${PERSONS}/ann`),
      await server.get(`${PERSONS}/ann`, same),
      await server.get(`${PERSONS}/ann`, { accept: 'application/yaml' }),
      await server.get(`${PERSONS}/nobody`),
      await server.get(PERSONS),
      await server.get(`${PERSONS}?size=1`),
      await server.get(PERSONS, { accept: 'application/yaml' }),
      await server.get(`${PERSONS}?explain=true`),
      await create(person('bob')),
      await server.get('/apis'),
      await server.get('/version'),
      await server.get('/v3/api-docs'),
    ];
    for (const answer of answers)
      expect([answer.headers['cache-control'], answer.headers.vary]).toEqual([
        'private, no-cache',
        expect.stringMatching(/^Accept\b/),
      ]);
  });

  it('answers 404 with a Status for an unknown name', async () => {
    const answer = await server.get(`${PERSONS}/nobody`);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json()).toMatchObject({
      ...failure(404, 'NotFound'),
      details: { group: 'demo.example.com', kind: 'Person', name: 'nobody', causes: [] },
    });
  });

  it('answers HEAD like GET, without a body', async () => {
    await create(person('ann'));
    const whole = await server.get(`${PERSONS}/ann`);
    const head = await server.send('HEAD', `${PERSONS}/ann`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.etag).toBe(whole.headers.etag);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.text)));
    const missing = await server.send('HEAD', `${PERSONS}/nobody`);
    expect([missing.status, missing.text]).toEqual([404, '']);
    const list = await server.send('HEAD', PERSONS);
    expect([list.status, list.text]).toEqual([200, '']);
  });
});

describe('PUT', () => {
  it('replaces the object and counts the change', async () => {
    await create(person('ann', { age: 3, tags: ['a'] }, { labels: { 'example.com/a': 'b' } }));
    const answer = await put('ann', person('ann', { age: 4 }));
    expect(answer.status).toBe(200);
    const { metadata, spec } = answer.json();
    expect(metadata).toMatchObject({ version: 1, generation: 2 });
    expect(metadata).not.toHaveProperty('labels');
    expect(spec).toEqual({ name: 'Name of ann', age: 4 });
    expect(answer.headers.etag).toBe(`"${String(metadata.resourceVersion)}"`);
  });

  it('stores nothing when nothing changes', async () => {
    const before = (await create(person('ann', { age: 3 }))).json();
    const answer = await put('ann', person('ann', { age: 3 }));
    expect([answer.status, answer.json()]).toEqual([200, before]);
  });

  it('refuses another name in the body than in the path with 400', async () => {
    await create(person('ann'));
    expect((await put('ann', person('bob'))).json()).toMatchObject(failure(400, 'BadRequest'));
  });

  it('takes a body without a name', async () => {
    await create(person('ann'));
    expect((await put('ann', { spec: { name: 'x' } })).status).toBe(200);
  });

  it('answers 404 for a name that is not there, and creates nothing', async () => {
    expect((await put('ann', person('ann'))).json()).toMatchObject(failure(404, 'NotFound'));
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(404);
  });

  it.each([
    ['version', { version: 7 }],
    ['resourceVersion', { resourceVersion: '1' }],
  ])('refuses another metadata.%s than the stored one with 409', async (_field, lock) => {
    await create(person('ann', { age: 3 }));
    const answer = await put('ann', person('ann', { age: 4 }, lock));
    expect(answer.json()).toMatchObject(failure(409, 'Conflict'));
    expect((await server.get(`${PERSONS}/ann`)).json().spec.age).toBe(3);
  });

  it('takes the object as it was read', async () => {
    const object = (await create(person('ann'))).json();
    const answer = await put('ann', { ...object, spec: { ...object.spec, age: 9 } });
    expect([answer.status, answer.json().metadata.version]).toEqual([200, 1]);
  });

  it('refuses a value that a unique index has, naming the index', async () => {
    await create(person('ann', { email: 'a@example.com' }));
    await create(person('bob', { email: 'b@example.com' }));
    const answer = await put('bob', person('bob', { email: 'a@example.com' }));
    expect(answer.json()).toMatchObject({
      ...failure(409, 'AlreadyExists'),
      details: { causes: [{ field: 'spec.email' }] },
    });
  });

  it('refuses an object that violates the model with 422', async () => {
    await create(person('ann', { age: 3 }));
    const answer = await put('ann', person('ann', { age: 151 }));
    expect(answer.json()).toMatchObject({
      ...failure(422, 'Invalid'),
      details: { causes: [{ field: 'spec.age' }] },
    });
    expect((await server.get(`${PERSONS}/ann`)).json().spec.age).toBe(3);
  });
});

describe('PATCH', () => {
  it('applies a merge patch', async () => {
    await create(person('ann', { age: 3, tags: ['a'] }));
    const answer = await merge('ann', { spec: { age: null, tags: ['b'] } });
    expect([answer.status, answer.json().spec]).toEqual([200, { name: 'Name of ann', tags: ['b'] }]);
  });

  it('applies a JSON Patch', async () => {
    await create(person('ann', { age: 3, tags: ['a'] }));
    const answer = await jsonPatch('ann', [
      { op: 'test', path: '/spec/age', value: 3 },
      { op: 'replace', path: '/spec/age', value: 4 },
      { op: 'add', path: '/spec/tags/-', value: 'b' },
    ]);
    expect([answer.status, answer.json().spec]).toEqual([
      200,
      { name: 'Name of ann', age: 4, tags: ['a', 'b'] },
    ]);
  });

  it.each([
    ['a failed test', [{ op: 'test', path: '/spec/age', value: 1 }]],
    ['a bad pointer', [{ op: 'replace', path: '/spec/no/such', value: 1 }]],
    ['a pointer without a slash', [{ op: 'add', path: 'spec', value: 1 }]],
  ])('refuses %s with 422', async (_what, patch) => {
    await create(person('ann', { age: 3 }));
    expect((await jsonPatch('ann', patch)).json()).toMatchObject(failure(422, 'Invalid'));
    expect((await server.get(`${PERSONS}/ann`)).json().metadata.version).toBe(0);
  });

  it.each(['application/strategic-merge-patch+json', 'application/json', 'x'])(
    'refuses %s with 415',
    async (type) => {
      await create(person('ann'));
      const answer = await server.send('PATCH', `${PERSONS}/ann`, {
        body: {},
        headers: { 'content-type': type },
      });
      expect(answer.json()).toMatchObject(failure(415, 'UnsupportedMediaType'));
    },
  );

  it('stores nothing when nothing changes', async () => {
    const before = (await create(person('ann'))).json();
    expect((await merge('ann', {})).json()).toEqual(before);
    expect((await jsonPatch('ann', [])).json()).toEqual(before);
  });

  it('answers 404 for a name that is not there', async () => {
    expect((await merge('ann', {})).status).toBe(404);
  });

  it('takes a version in the patch for a lock', async () => {
    await create(person('ann'));
    expect((await merge('ann', { metadata: { version: 1 }, spec: { age: 1 } })).status).toBe(409);
    expect((await merge('ann', { metadata: { resourceVersion: '1' } })).status).toBe(409);
    expect((await merge('ann', { metadata: { version: 0 }, spec: { age: 1 } })).status).toBe(200);
  });

  it('cannot rename the object', async () => {
    await create(person('ann'));
    expect((await merge('ann', { metadata: { name: 'bob' } })).status).toBe(400);
  });

  it('refuses a unique value that is taken, naming the index', async () => {
    await create(person('ann', { email: 'a@example.com' }));
    await create(person('bob'));
    const answer = await merge('bob', { spec: { email: 'a@example.com' } });
    expect(answer.json()).toMatchObject({
      ...failure(409, 'AlreadyExists'),
      details: { causes: [{ field: 'spec.email' }] },
    });
  });
});

describe('DELETE', () => {
  it('answers 200 with the object as it was left; then it is gone', async () => {
    const { metadata } = (await create(person('ann'))).json();
    const answer = await remove('ann');
    expect(answer.status).toBe(200);
    expect(answer.json().metadata).toMatchObject({ name: 'ann', uid: metadata.uid });
    expect(answer.json().metadata.deletionTimestamp).toMatch(/Z$/);
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(404);
    expect((await remove('ann')).json()).toMatchObject(failure(404, 'NotFound'));
  });

  it('leaves an object with finalizers, marked, until the last one is taken off', async () => {
    await create(person('ann', {}, { finalizers: ['example.com/keep'] }));
    const marked = (await remove('ann')).json();
    expect(marked.metadata.deletionTimestamp).toMatch(/Z$/);
    const again = await remove('ann');
    expect([again.status, again.json()]).toEqual([200, marked]);
    expect((await server.get(`${PERSONS}/ann`)).json()).toEqual(marked);
    expect((await merge('ann', { metadata: { finalizers: ['example.com/keep', 'b.c/d'] } })).status).toBe(
      422,
    );
    expect((await merge('ann', { metadata: { finalizers: [] } })).status).toBe(200);
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(404);
  });

  it('takes DeleteOptions, and the empty JSON body that some clients send', async () => {
    await create(person('ann'));
    await create(person('bob'));
    const options = { propagationPolicy: 'Background', gracePeriodSeconds: 0 };
    expect((await remove('ann', { body: options })).status).toBe(200);
    const empty = { headers: { 'content-type': 'application/json', 'content-length': '0' } };
    expect((await remove('bob', empty)).status).toBe(200);
  });

  it.each([
    ['uid', 'another'],
    ['resourceVersion', '1'],
  ])('refuses another %s than the precondition says with 409', async (field, value) => {
    const { metadata } = (await create(person('ann'))).json();
    const refused = await remove('ann', { body: { preconditions: { [field]: value } } });
    expect(refused.json()).toMatchObject(failure(409, 'Conflict'));
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(200);
    const taken = await remove('ann', { body: { preconditions: { [field]: metadata[field] } } });
    expect(taken.status).toBe(200);
  });

  it.each([
    ['a list', []],
    ['a text', '"x"'],
    ['preconditions that are a list', { preconditions: [] }],
    ['a uid that is a number', { preconditions: { uid: 1 } }],
    ['another dryRun', { dryRun: ['Some'] }],
    ['a dryRun that is a number', { dryRun: 1 }],
    ['an empty dryRun', { dryRun: [''] }],
    ['a dryRun that is an empty text', { dryRun: '' }],
    ['a propagationPolicy that there is not', { propagationPolicy: 'Sideways' }],
    ['a propagationPolicy that is a number', { propagationPolicy: 1 }],
    ['two words for one policy', { propagationPolicy: 'Orphan', orphanDependents: true }],
    ['an orphanDependents that is a text', { orphanDependents: 'true' }],
  ])('refuses %s as DeleteOptions with 400', async (_what, body) => {
    await create(person('ann'));
    expect((await remove('ann', { body })).json()).toMatchObject(failure(400, 'BadRequest'));
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(200);
  });
});

describe('a propagation policy', () => {
  it.each<[string, string, object | undefined, string[] | undefined]>([
    [
      'in the body',
      '',
      { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' },
      ['foregroundDeletion'],
    ],
    ['in the query', '?propagationPolicy=Orphan', undefined, ['orphan']],
    [
      'in both: the body counts',
      '?propagationPolicy=Orphan',
      { propagationPolicy: 'Foreground' },
      ['foregroundDeletion'],
    ],
    ['by its older name in the query', '?orphanDependents=true', undefined, ['orphan']],
    ['by its older name in the body', '', { orphanDependents: true }, ['orphan']],
    ['by its older name, denied', '', { orphanDependents: false, propagationPolicy: null }, undefined],
  ])('is taken %s', async (_where, query, body, finalizers) => {
    await create(person('ann'));
    const answer = await remove('ann', body === undefined ? {} : { body }, query);
    expect(answer.status).toBe(200);
    expect(answer.json().metadata.finalizers).toEqual(finalizers);
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(finalizers === undefined ? 404 : 200);
  });
});

describe('a parameter with few values', () => {
  it.each([
    ['GET', '', 'watch'],
    ['GET', '', 'explain'],
    ['GET', '', 'allowWatchBookmarks'],
    ['GET', '', 'sendInitialEvents'],
    ['GET', '', 'resourceVersionMatch'],
    ['GET', '/ann', 'watch'],
    ['DELETE', '/ann', 'forceFinalizers'],
    ['DELETE', '/ann', 'propagationPolicy'],
    ['DELETE', '/ann', 'orphanDependents'],
  ])('takes no other in %s %s: %s', async (method, target, name) => {
    await create(person('ann'));
    for (const value of ['', 'maybe', '2', 'yes', 'true,', 'x&watch=true']) {
      const answer = await server.send(method, `${PERSONS}${target}?${name}=${value}`);
      expect(answer.json()).toMatchObject(failure(400, 'BadRequest'));
      expect(answer.json().message).toContain(`${name}: "`);
    }
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(200);
  });

  it('that is true or false is so in any case of letters, as clients of several languages write it', async () => {
    for (const value of ['true', 'True', '1'])
      expect((await server.get(`${PERSONS}?explain=${value}`)).json().kind).toBe('ListExplanation');
    for (const value of ['false', 'False', '0'])
      expect((await server.get(`${PERSONS}?explain=${value}&watch=${value}`)).json().kind).toBe('PersonList');
  });

  it.each(['Background', 'Foreground', 'Orphan'])(
    'takes each of them: propagationPolicy %s',
    async (policy) => {
      await create(person('ann'));
      const body = { propagationPolicy: policy };
      expect((await remove('ann', { body }, `?propagationPolicy=${policy}`)).status).toBe(200);
    },
  );
});

describe('If-Match', () => {
  const writes: [string, (headers: object) => Promise<{ status: number }>][] = [
    ['PUT', (headers) => put('ann', person('ann', { age: 9 }), headers)],
    ['PATCH', (headers) => merge('ann', { spec: { age: 9 } }, headers)],
    ['DELETE', (headers) => remove('ann', { headers })],
  ];

  it.each(writes)('refuses %s on another revision with 412', async (_verb, write) => {
    const tag = String((await create(person('ann'))).headers.etag);
    for (const other of ['"1"', `W/${tag}`, 'x', '""']) {
      expect((await write({ 'if-match': other })).status).toBe(412);
    }
    expect((await server.get(`${PERSONS}/ann`)).headers.etag).toBe(tag);
    expect((await write({ 'if-match': tag })).status).toBe(200);
  });

  it.each(writes)('lets %s pass with *', async (_verb, write) => {
    await create(person('ann'));
    expect((await write({ 'if-match': '*' })).status).toBe(200);
  });
});

describe('dryRun=All', () => {
  const revision = async () => String((await server.get(PERSONS)).json().metadata.resourceVersion);

  it.each([
    ['POST', 201, () => create(person('new', { age: 5 }), '?dryRun=All')],
    ['PUT', 200, () => put('ann', person('ann', { age: 5 }), {}, '?dryRun=All')],
    ['a merge patch', 200, () => merge('ann', { spec: { age: 5 } }, {}, '?dryRun=All')],
    [
      'a JSON Patch',
      200,
      () => jsonPatch('ann', [{ op: 'add', path: '/spec/age', value: 5 }], '?dryRun=All'),
    ],
    ['DELETE', 200, () => remove('ann', {}, '?dryRun=All')],
    ['DELETE with it in the body', 200, () => remove('ann', { body: { dryRun: ['All'] } })],
    ['PUT of the status', 200, () => put('ann/status', { status: { a: 1 } }, {}, '?dryRun=All')],
  ])('answers %s as ever and stores nothing', async (_verb, status, write) => {
    await create(person('ann', { age: 3 }));
    const before = [await revision(), (await server.get(PERSONS)).text];
    const answer = await write();
    expect([answer.status, answer.json().kind]).toEqual([status, 'Person']);
    expect([await revision(), (await server.get(PERSONS)).text]).toEqual(before);
  });

  it('refuses a write that would be refused without it', async () => {
    await create(person('ann', { email: 'a@example.com' }));
    expect((await create(person('ann'), '?dryRun=All')).status).toBe(409);
    expect((await create(person('b', { email: 'a@example.com' }), '?dryRun=All')).status).toBe(409);
    expect((await create(person('b', { age: -1 }), '?dryRun=All')).status).toBe(422);
    expect((await put('b', person('b'), {}, '?dryRun=All')).status).toBe(404);
    expect((await remove('b', {}, '?dryRun=All')).status).toBe(404);
  });

  it.each(['all', 'true', 'Server', '', 'All&dryRun=', 'None&dryRun=All'])(
    'refuses dryRun=%s rather than write',
    async (value) => {
      const query = `?dryRun=${value}`;
      await create(person('ann'));
      const tag = (await server.get(`${PERSONS}/ann`)).headers.etag;
      const writes = [
        create(person('bob'), query),
        put('ann', person('ann', { age: 5 }), {}, query),
        merge('ann', { spec: { age: 5 } }, {}, query),
        remove('ann', {}, query),
        server.send('POST', `/apis/api.platform.run/v1alpha1/batches${query}`, { body: { items: [] } }),
      ];
      for (const answer of await Promise.all(writes)) {
        expect(answer.json()).toMatchObject(failure(400, 'BadRequest'));
        expect(answer.json().message).toMatch(/dryRun: ".*" is not one of All/);
      }
      expect((await server.get(`${PERSONS}/ann`)).headers.etag).toBe(tag);
      expect((await server.get(`${PERSONS}/bob`)).status).toBe(404);
    },
  );
});

describe('the status sub-resource', () => {
  it('is the object, of which a write changes nothing but the status', async () => {
    const before = (await create({ ...person('ann', { age: 3 }), status: { phase: 'New' } })).json();
    expect((await server.get(`${PERSONS}/ann/status`)).json()).toEqual(before);
    const body = { ...person('ann', { age: 99 }, { labels: { 'a.b/c': 'd' } }), status: { phase: 'Ready' } };
    const after = (await put('ann/status', body)).json();
    expect(after).toMatchObject({ spec: before.spec, status: { phase: 'Ready' } });
    expect(after.metadata).toMatchObject({ version: 1, generation: 1 });
    expect(after.metadata).not.toHaveProperty('labels');
    const patched = await merge('ann/status', { spec: { age: 98 }, status: { seen: 1 } });
    expect(patched.json()).toMatchObject({ spec: before.spec, status: { phase: 'Ready', seen: 1 } });
  });

  it('keeps its locks', async () => {
    const tag = String((await create(person('ann'))).headers.etag);
    expect((await put('ann/status', { metadata: { version: 5 }, status: {} })).status).toBe(409);
    expect((await put('ann/status', { status: { a: 1 } }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await put('ann/status', { status: { a: 1 } }, { 'if-match': tag })).status).toBe(200);
  });

  it('is kept by a PUT of the object that does not mention it', async () => {
    await create({ ...person('ann'), status: { phase: 'New' } });
    expect((await put('ann', person('ann', { age: 1 }))).json().status).toEqual({ phase: 'New' });
    const replaced = { ...person('ann'), status: { phase: 'Old' } };
    expect((await put('ann', replaced)).json().status).toEqual({ phase: 'Old' });
  });

  it('answers 404 for an unknown object and an unknown sub-resource', async () => {
    await create(person('ann'));
    expect((await server.get(`${PERSONS}/bob/status`)).status).toBe(404);
    expect((await server.get(`${PERSONS}/ann/scale`)).json()).toMatchObject(failure(404, 'NotFound'));
  });
});

describe('fieldValidation', () => {
  const body = person('ann', { agee: 3, 'nöt"known': 1 });

  it('keeps unknown fields and warns of each by default', async () => {
    for (const query of ['', '?fieldValidation=Warn']) {
      const answer = await create(body, query);
      expect(answer.status).toBe(201);
      expect(answer.json().spec.agee).toBe(3);
      const warnings = String(answer.headers.warning);
      expect(warnings).toMatch(/299 - "unknown field \\"spec\.agee\\"/);
      expect(warnings).toMatch(/did you mean/);
      await remove('ann');
    }
  });

  it('names them in UTF-8', async () => {
    const answer = await create(person('ann', { größe: 1, 名前: 2 }));
    const warnings = Buffer.from(String(answer.headers.warning), 'latin1').toString();
    expect(warnings).toContain(String.raw`"unknown field \"spec.größe\""`);
    expect(warnings).toContain(String.raw`"unknown field \"spec.名前\""`);
  });

  it('refuses them when Strict, with a suggestion', async () => {
    const answer = await create(body, '?fieldValidation=Strict');
    expect(answer.json()).toMatchObject(failure(422, 'Invalid'));
    const [cause] = answer.json().details.causes.filter(({ field }) => field === 'spec.agee');
    expect(cause?.message).toMatch(/did you mean "(spec\.)?age"/);
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(404);
  });

  it('says nothing when Ignore', async () => {
    const answer = await create(body, '?fieldValidation=Ignore');
    expect([answer.status, answer.headers.warning]).toEqual([201, undefined]);
  });

  it.each(['Sometimes', 'strict', '', 'Strict&fieldValidation='])('refuses the value "%s"', async (value) => {
    expect((await create(body, `?fieldValidation=${value}`)).status).toBe(400);
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(404);
  });

  it('does not let warnings outgrow the head of an answer', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`field${i}${'x'.repeat(50)}`, i]),
    );
    const answer = await create(person('ann', many));
    expect(answer.status).toBe(201);
    expect(String(answer.headers.warning)).toMatch(/more warnings/);
    expect(String(answer.headers.warning).length).toBeLessThan(8000);
  });

  it('holds for updates too', async () => {
    await create(person('ann'));
    expect((await put('ann', person('ann', { agee: 1 }), {}, '?fieldValidation=Strict')).status).toBe(422);
    expect((await merge('ann', { spec: { agee: 1 } }, {}, '?fieldValidation=Strict')).status).toBe(422);
    expect((await merge('ann', { spec: { agee: 1 } })).headers.warning).toMatch(/spec\.agee/);
  });
});

it('HTTP reads objects written through the service, and the other way round', async () => {
  await server.service.create(PERSON_REF, person('ann'));
  expect((await server.get(`${PERSONS}/ann`)).json()).toEqual(await server.service.get(PERSON_REF, 'ann'));
});
