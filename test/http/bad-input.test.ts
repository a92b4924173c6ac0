import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  PERSONS,
  PERSON_REF,
  person,
  rawAnswer,
  rawRequest,
  startTestServer,
  type HttpAnswer,
  type TestServer,
} from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
let before: { readonly revision: unknown; readonly prototypes: string };

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  await server.clear();
  await server.service.create(PERSON_REF, person('ann', { age: 3 }));
  before = await state();
});
afterEach(async () => {
  expect(await state()).toEqual(before);
  expect(await server.check()).toEqual([]);
  expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

/** State that no bad request may change. Reading it shows that the service still answers. */
async function state() {
  const list = await server.get(PERSONS);
  return { revision: list.json().metadata.resourceVersion, prototypes: prototypes() };
}

function prototypes(): string {
  const all = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
  return JSON.stringify(all.map((prototype) => Object.getOwnPropertyNames(prototype)));
}

function expectRefused(answer: Pick<HttpAnswer, 'status' | 'text'>, codes: readonly number[]): void {
  const status = JSON.parse(answer.text) as Record<string, unknown>;
  expect(codes, answer.text.slice(0, 300)).toContain(answer.status);
  expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: answer.status });
  expect(answer.text.length).toBeLessThan(20_000);
}

const TYPE = 'Content-Type: application/json';
const YAML = { 'content-type': 'application/yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}… (${text.length})` : text);
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
const withSpec = (spec: string): string => `{"metadata":{"name":"bob"},"spec":${spec}}`;

const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefgh'.split('').map((letter, i) => {
    const alias = `*${'abcdefgh'[i] ?? ''}`;
    return `${letter}: &${letter} [${Array.from({ length: 9 }, () => alias).join(', ')}]`;
  }),
].join('\n');

describe('a malformed body', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['half an object', '{"metadata":{"name":"bob"}'],
    ['a trailing comma', '{"metadata":{"name":"bob"},}'],
    ['two objects', '{}{}'],
    ['single quotes', "{'metadata':{}}"],
    ['NaN', withSpec('{"name":"x","age":NaN}')],
    ['a control character', withSpec('{"name":"a\u0001b"}')],
    ['a key twice', '{"metadata":{"name":"bob"},"metadata":{"name":"cyd"},"spec":{"name":"x"}}'],
    ['a key twice by escape', withSpec('{"name":"x","n\\u0061me":"y"}')],
    ['a number beyond a double', withSpec('{"name":"x","age":1e400}')],
    ['a negative one', withSpec('{"name":"x","age":-1e400}')],
    ['an integer that a number would change', withSpec('{"name":"x","age":9007199254740993}')],
    ['a lone surrogate', withSpec('{"name":"\\ud800"}')],
    ['a lone surrogate as a key', withSpec('{"name":"x","\\udc00":1}')],
    ['depth 101', withSpec(nested(101))],
    ['depth 10,000', withSpec(nested(10_000))],
    ['lists of depth 10,000', '['.repeat(10_000)],
    ['__proto__', '{"__proto__":{"polluted":1},"metadata":{"name":"bob"},"spec":{"name":"x"}}'],
    ['__proto__ deep inside', withSpec('{"name":"x","address":{"__proto__":{"polluted":1}}}')],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a number', '1'],
    ['a boolean', 'true'],
  ])('with %s is refused with 400 by every verb', async (_what, body) => {
    expectRefused(await server.send('POST', PERSONS, { body }), [400]);
    expectRefused(await server.send('PUT', `${PERSONS}/ann`, { body }), [400]);
    expectRefused(await server.send('PUT', `${PERSONS}/ann/status`, { body }), [400]);
    expectRefused(await server.send('PATCH', `${PERSONS}/ann`, { body, headers: MERGE }), [400]);
    if (body !== '[]') {
      expectRefused(
        await server.send('PATCH', `${PERSONS}/ann`, { body, headers: JSON_PATCH }),
        [400, 413, 422],
      );
    }
    expectRefused(await server.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body }), [400]);
  });

  it.each([
    ['JSON', PERSONS, withSpec('{"name":"x","age":9007199254740993}'), {}, 'spec.age'],
    ['YAML', PERSONS, 'metadata: {name: bob}\nspec: {name: x, age: 9007199254740993}', YAML, 'spec.age'],
    [
      'a batch',
      '/apis/api.platform.run/v1alpha1/batches',
      `{"items":[{"verb":"create","object":${withSpec('{"age":9007199254740993}')}}]}`,
      {},
      'items[0].object.spec.age',
    ],
  ])('of %s with an integer that a number would change says where, and what to do', async (...row) => {
    const [, url, body, headers, field] = row;
    const { status, text } = await server.send('POST', url, { body, headers });
    expect([status, text]).toEqual([
      400,
      expect.stringContaining(
        `${field}: the integer 9007199254740993 cannot be represented exactly as a number; write it in quotes if the field may be a string`,
      ),
    ]);
  });

  it.each([
    ['overlong', [0xc0, 0xaf]],
    ['cut', [0xe2, 0x82]],
    ['a stray byte', [0xff]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('that is not UTF-8 (%s) is refused', async (_what, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"metadata":{"name":"bob"},"spec":{"name":"'),
      Buffer.from(bytes),
      Buffer.from('"}}'),
    ]);
    expectRefused(await server.send('POST', PERSONS, { body }), [400]);
    expectRefused(await server.send('POST', PERSONS, { body, headers: YAML }), [400]);
  });

  it.each([
    ['malformed', 'a: b: c'],
    ['a tab', 'metadata:\n\tname: x'],
    ['a key twice', 'metadata: {name: bob}\nspec: {name: a, name: b}'],
    ['an alias', 'metadata: &m {name: bob}\nspec: {name: x}\ncopy: *m'],
    ['an alias bomb', BOMB],
    ['a cycle', 'metadata: {name: bob}\nspec: &s {name: x, self: *s}'],
    ['a merge key', 'base: &b {name: bob}\nmetadata:\n  <<: *b\nspec: {name: x}'],
    ['a tag', 'metadata: {name: bob}\nspec: !!js/function "function(){}"'],
    ['an unknown tag', 'metadata: {name: !custom bob}\nspec: {name: x}'],
    ['infinity', 'metadata: {name: bob}\nspec: {name: x, age: .inf}'],
    ['not a number', 'metadata: {name: bob}\nspec: {name: x, age: .nan}'],
    ['a number beyond a double', 'metadata: {name: bob}\nspec: {name: x, age: 1e400}'],
    [
      'an integer that a number would change',
      'metadata: {name: bob}\nspec: {name: x, age: -9223372036854775808}',
    ],
    ['__proto__', 'metadata: {name: bob}\nspec: {name: x, __proto__: {polluted: 1}}'],
    ['depth 10,000', `metadata: {name: bob}\nspec: ${'['.repeat(10_000)}`],
    ['two documents', 'metadata: {name: bob}\nspec: {name: x}\n---\nmetadata: {name: cyd}\nspec: {name: x}'],
    ['nothing', '---\n'],
    ['a list as a key', 'metadata: {name: bob}\nspec: {name: x}\n? [a, b]\n: 1'],
  ])('in YAML with %s is refused', async (_what, body) => {
    expectRefused(await server.send('POST', PERSONS, { body, headers: YAML }), [400]);
    expectRefused(await server.send('PUT', `${PERSONS}/ann`, { body, headers: YAML }), [400]);
  });
});

describe('names of prototypes', () => {
  it('are keys like any other in a body, where they are allowed at all', async () => {
    const spec = {
      name: 'x',
      constructor: { prototype: { polluted: 1 } },
      toString: 'text',
      hasOwnProperty: 1,
    };
    const answer = await server.send('POST', `${PERSONS}?dryRun=All`, { body: person('bob', spec) });
    expect([answer.status, answer.json().spec]).toEqual([201, spec]);
    const type = { metadata: { name: 'bob' }, spec: { name: 'x' }, constructor: 1, valueOf: null };
    expect((await server.send('POST', `${PERSONS}?dryRun=All`, { body: type })).status).toBe(201);
  });

  it.each([
    ['/__proto__/polluted'],
    ['/constructor/prototype/polluted'],
    ['/spec/__proto__/polluted'],
    ['/spec/constructor/prototype/polluted'],
    ['/spec/toString/call'],
    ['/metadata/labels/__proto__/x'],
  ])('are refused as the JSON Patch path %s', async (path) => {
    for (const operation of [
      { op: 'add', path, value: 1 },
      { op: 'replace', path, value: 1 },
      { op: 'remove', path },
      { op: 'copy', from: path, path: '/spec/age' },
      { op: 'move', from: '/spec/age', path },
    ]) {
      const body = JSON.stringify([operation]);
      expectRefused(
        await server.send('PATCH', `${PERSONS}/ann`, { body, headers: JSON_PATCH }),
        [400, 413, 422],
      );
    }
  });

  it.each(['labels', 'annotations'])(
    'are refused as keys of %s or are keys like any other',
    async (field) => {
      for (const key of ['__proto__', 'constructor', 'toString']) {
        const body = `{"metadata":{"name":"bob","${field}":{"${key}":"x"}},"spec":{"name":"x"}}`;
        const answer = await server.send('POST', `${PERSONS}?dryRun=All`, { body });
        if (key === '__proto__') expectRefused(answer, [400, 422]);
        else expect(answer.json().metadata[field]).toEqual({ [key]: 'x' });
        const odd = `{"metadata":{"name":"bob","${field}":{"${key}":{"x":1}}},"spec":{"name":"x"}}`;
        expectRefused(await server.send('POST', PERSONS, { body: odd }), [400, 422]);
      }
    },
  );

  it('are nothing special in a path or a query', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expectRefused(await server.get(`${PERSONS}/${name}`), [404]);
      expectRefused(await server.get(`/apis/${name}/v1/persons`), [404]);
      expectRefused(await server.get(`/apis/${name}`), [404]);
      expectRefused(await server.get(`/apis/demo.example.com/v1alpha1/${name}`), [404]);
      expectRefused(await server.get(`${PERSONS}/ann/${name}`), [404]);
      expect((await server.get(`${PERSONS}?${name}=x&${name}[polluted]=1&a[${name}]=1`)).status).toBe(200);
      expectRefused(await server.get(`${PERSONS}?fieldSelector=${name}%3D1`), [400]);
      const labelled = await server.get(`${PERSONS}?labelSelector=${name}`);
      if (name === '__proto__') expectRefused(labelled, [400]);
      else expect(labelled.json().total).toBe(0);
      expectRefused(
        await server.send(name.toUpperCase().replaceAll('_', '-'), PERSONS).catch(asRefused),
        [400, 405],
      );
    }
  });
});

/** Methods that the client of this test refuses to send count as refused. */
function asRefused(error: unknown): Pick<HttpAnswer, 'status' | 'text'> {
  if (!(error instanceof Error)) throw error;
  const text = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 400 });
  return { status: 400, text };
}

describe('a path', () => {
  const targets: [string, number[]][] = [
    ['/apis/demo.example.com/v1alpha1/persons/%00', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/ann%00', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/%2e%2e', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/..', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/../../../../etc/passwd', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/..%2f..%2fann', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/%2fann', [404]],
    ['/apis/demo.example.com/v1alpha1/persons//', [404]],
    ['/apis/demo.example.com/v1alpha1/persons//status', [404]],
    ['//apis/demo.example.com/v1alpha1/persons/ann', [404]],
    ['/apis//demo.example.com/v1alpha1/persons', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/%', [400]],
    ['/apis/demo.example.com/v1alpha1/persons/%zz', [400]],
    ['/apis/demo.example.com/v1alpha1/persons/%e0%a4', [400]],
    ['/apis/demo.example.com/v1alpha1/persons/%ed%a0%80', [400]],
    ['/apis/demo.example.com/v1alpha1/persons/%c0%ae', [400]],
    ['/apis/%/v1/x', [400]],
    ['/%', [400, 404]],
    ['/apis/demo.example.com/v1alpha1/persons/ANN', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/ann/status/more', [404]],
    ['/apis/demo.example.com/v1alpha1/persons/ann/status/more/and/more', [404]],
    [`/apis/demo.example.com/v1alpha1/persons/${'a'.repeat(300)}`, [404]],
    [`/apis/demo.example.com/v1alpha1/persons/${'a'.repeat(6_000)}`, [404]],
    [`/${'a/'.repeat(20_000)}`, [404]],
    ['*', [400, 404]],
    ['apis', [400, 404]],
    ['http://127.0.0.1/apis/demo.example.com/v1alpha1/persons/bob', [400, 404]],
  ];
  it.each(targets.map(([target, codes]) => [shown(target), target, codes] as const))(
    'like %s is refused',
    async (_shown, target, codes) => {
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const body = method === 'PUT' ? '{}' : '';
        const text = await server.raw(
          rawRequest(`${method} ${target} HTTP/1.1`, [TYPE, `Content-Length: ${body.length}`], body),
        );
        const { status, body: answer } = rawAnswer(text);
        expectRefused({ status, text: answer }, [...codes, 405]);
      }
    },
  );

  it('of 100 kB is refused with a Status', async () => {
    for (const target of [
      `${PERSONS}?a=${'x'.repeat(100_000)}`,
      `/${'x'.repeat(100_000)}`,
      `/livez?${'a&'.repeat(50_000)}`,
    ]) {
      for (const method of ['GET', 'POST']) {
        expectRefused(await server.send(method, target), [400, 414, 431]);
      }
    }
  });

  it('beyond the size limit of a head is refused with a Status', async () => {
    const text = await server.raw(rawRequest(`GET /${'x'.repeat(200_000)} HTTP/1.1`));
    const { status, body } = rawAnswer(text);
    expectRefused({ status, text: body }, [400, 414, 431]);
  });

  it.each(['labelSelector=a%3D%ff', 'a=1&name%3D%e0%a4', 'pretty=true&continue=%ed%a0%80'])(
    'with bytes in the query that are not UTF-8 is refused: %s',
    async (query) => {
      const answer = await server.get(`${PERSONS}?${query}`);
      expectRefused(answer, [400]);
      expect(answer.text).toContain('is not percent-encoded UTF-8');
    },
  );

  it('with the replacement character in the query is read', async () => {
    for (const query of ['a=%EF%BF%BD', 'a=%zz%EF%BF%BD', 'a=+%EF%BF%BD%2B'])
      expect((await server.get(`${PERSONS}?${query}`)).status).toBe(200);
  });

  it('with a long query below the limit is read', async () => {
    expect((await server.get(`${PERSONS}?a=${'x'.repeat(60_000)}`)).status).toBe(200);
    const selector = `name in (${Array.from({ length: 5000 }, (_, i) => `n${i}`).join(',')})`;
    const answer = await server.get(`${PERSONS}?fieldSelector=${encodeURIComponent(selector)}`);
    expect([200, 400]).toContain(answer.status);
  });
});

describe('metadata', () => {
  const bad: [string, unknown][] = [
    ['name', 1],
    ['name', null],
    ['name', ''],
    ['name', []],
    ['name', {}],
    ['name', 'a'.repeat(254)],
    ['name', 'a'.repeat(300)],
    ['name', 'Upper'],
    ['name', '../up'],
    ['name', 'a/b'],
    ['name', 'a b'],
    ['name', 'a\u0000b'],
    ['name', 'é'],
    ['name', '-a'],
    ['name', '__proto__'],
    ['generateName', 1],
    ['generateName', {}],
    ['generateName', 'UPPER-'],
    ['generateName', 'a'.repeat(300)],
    ['labels', []],
    ['labels', 'x'],
    ['labels', 1],
    ['labels', { 'example.com/a': 1 }],
    ['labels', { 'example.com/a': null }],
    ['labels', { 'example.com/a': 'x'.repeat(64) }],
    ['labels', { 'example.com/a': '-x' }],
    ['labels', { '/a': 'x' }],
    ['labels', { 'a/b/c': 'x' }],
    ['labels', { '': 'x' }],
    ['labels', { [`example.com/${'x'.repeat(64)}`]: 'x' }],
    ['annotations', []],
    ['annotations', { 'example.com/a': {} }],
    ['annotations', { 'example.com/a': 'x'.repeat(256 * 1024) }],
    ['finalizers', 'x'],
    ['finalizers', {}],
    ['finalizers', [1]],
    ['finalizers', [null]],
    ['finalizers', [['x']]],
  ];

  const cases = bad.map(([field, value]) => [field, shown(JSON.stringify(value)), value] as const);

  it.each(cases)('with %s %s is refused on create with 422', async (field, _shown, value) => {
    const base = field === 'generateName' ? {} : { name: 'bob' };
    const body = { metadata: { ...base, [field]: value }, spec: { name: 'x' } };
    const answer = await server.send('POST', PERSONS, { body });
    expectRefused(answer, [422]);
    for (const cause of answer.json().details.causes) expect(cause.field).toMatch(/^metadata\./);
  });

  it.each(cases.filter(([field, , value]) => field !== 'generateName' && value !== null))(
    'with %s %s is refused on update',
    async (field, text, value) => {
      const body = { metadata: { [field]: value }, spec: { name: 'x' } };
      expectRefused(await server.send('PUT', `${PERSONS}/ann`, { body }), [400, 422]);
      // In a merge patch, null takes away.
      if (text.includes('null}')) return;
      expectRefused(await server.send('PATCH', `${PERSONS}/ann`, { body, headers: MERGE }), [400, 422]);
    },
  );

  it.each([[null], [1], ['x'], [[]], [true]])('that is %j is refused', async (metadata) => {
    const body = { metadata, spec: { name: 'x' } };
    expectRefused(await server.send('POST', PERSONS, { body }), [400, 422]);
    expectRefused(await server.send('PUT', `${PERSONS}/ann`, { body }), [400, 422]);
  });

  it.each([
    ['version', '0'],
    ['version', {}],
    ['version', 1e300],
    ['version', -1],
    ['resourceVersion', 1],
    ['resourceVersion', ''],
    ['resourceVersion', []],
  ])('with the lock %s %j is a conflict', async (field, value) => {
    const body = { metadata: { [field]: value }, spec: { name: 'x' } };
    expectRefused(await server.send('PUT', `${PERSONS}/ann`, { body }), [400, 409, 422]);
  });

  it.each([
    'uid',
    'generation',
    'version',
    'resourceVersion',
    'creationTimestamp',
    'updateTimestamp',
    'deletionTimestamp',
  ])('may say anything as %s on create, for the service sets it', async (field) => {
    for (const value of [null, 7, 'x', [], {}, 1e300]) {
      const answer = await server.send('POST', `${PERSONS}?dryRun=All`, {
        body: person('bob', {}, { [field]: value }),
      });
      expect(answer.status).toBe(201);
      expect(answer.json().metadata[field]).not.toEqual(value);
    }
  });

  it.each([[null], [1], ['x'], [[]]])('has no place for apiVersion or kind %j', async (value) => {
    expectRefused(await server.send('POST', PERSONS, { body: { ...person('bob'), kind: value } }), [400]);
    expectRefused(
      await server.send('POST', PERSONS, { body: { ...person('bob'), apiVersion: value } }),
      [400],
    );
  });
});

describe('a patch', () => {
  it.each([
    ['an object', {}],
    ['an operation that is no object', [1]],
    ['an operation that is null', [null]],
    ['an unknown operation', [{ op: 'destroy', path: '/spec' }]],
    ['no path', [{ op: 'add', value: 1 }]],
    ['a path that is a number', [{ op: 'add', path: 1, value: 1 }]],
    ['no value', [{ op: 'add', path: '/spec/age' }]],
    ['a bad escape', [{ op: 'add', path: '/spec/~2', value: 1 }]],
    ['an index that leads with zero', [{ op: 'add', path: '/metadata/finalizers/01', value: 'x' }]],
    ['the root replaced by a list', [{ op: 'replace', path: '', value: [] }]],
    ['the root removed', [{ op: 'remove', path: '' }]],
    [
      'metadata removed',
      [
        { op: 'remove', path: '/metadata/name' },
        { op: 'remove', path: '/spec' },
      ],
    ],
    ['a move into itself', [{ op: 'move', from: '/spec', path: '/spec/x' }]],
    [
      'doubling copies',
      Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/spec', path: `/spec/c${i}` })),
    ],
    [
      'too many operations',
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/spec/age', value: 3 })),
    ],
  ])('with %s is refused', async (_what, body) => {
    expectRefused(
      await server.send('PATCH', `${PERSONS}/ann`, { body, headers: JSON_PATCH }),
      [400, 413, 422],
    );
  });
});

describe('a request that is not HTTP', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['TLS', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
    ['an unknown method', rawRequest(`FROBNICATE ${PERSONS} HTTP/1.1`)],
    ['a lower case method', rawRequest(`get ${PERSONS} HTTP/1.1`)],
    ['another version', rawRequest(`GET ${PERSONS} HTTP/9.9`)],
    ['a space in the path', rawRequest(`GET /a b HTTP/1.1`)],
    ['no Host', `GET ${PERSONS} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    [
      'two lengths',
      rawRequest(`POST ${PERSONS} HTTP/1.1`, ['Content-Length: 2', 'Content-Length: 3'], '{} '),
    ],
    ['a negative length', rawRequest(`POST ${PERSONS} HTTP/1.1`, ['Content-Length: -1'], '{}')],
    ['a length that is no number', rawRequest(`POST ${PERSONS} HTTP/1.1`, ['Content-Length: 0x2'], '{}')],
    [
      'a length beyond a double',
      rawRequest(`POST ${PERSONS} HTTP/1.1`, [`Content-Length: ${'9'.repeat(40)}`], '{}'),
    ],
    [
      'a length and chunks',
      rawRequest(
        `POST ${PERSONS} HTTP/1.1`,
        ['Content-Length: 2', 'Transfer-Encoding: chunked'],
        '0\r\n\r\n',
      ),
    ],
    [
      'a bad chunk',
      rawRequest(`POST ${PERSONS} HTTP/1.1`, [TYPE, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'),
    ],
    ['a header with a line break', `GET ${PERSONS} HTTP/1.1\r\nHost: localhost\r\nX: a\n b\0\r\n\r\n`],
    [
      'an unknown transfer encoding',
      rawRequest(`POST ${PERSONS} HTTP/1.1`, [TYPE, 'Transfer-Encoding: smoke'], '{}'),
    ],
    [
      'a bad chunk, when the head was answered before,',
      rawRequest(`PUT ${PERSONS} HTTP/1.1`, [TYPE, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'),
    ],
  ])('but %s is answered with a 4xx Status', async (_what, bytes) => {
    const { status, body } = rawAnswer(await server.raw(bytes));
    expectRefused({ status, text: body }, [400, 403, 405, 501]);
  });

  it('is answered once when it comes with too long a head', async () => {
    const headers = Array.from({ length: 3000 }, (_, i) => `X-${i}: ${'v'.repeat(100)}`);
    const { status, body } = rawAnswer(await server.raw(rawRequest(`GET ${PERSONS} HTTP/1.1`, headers)));
    expectRefused({ status, text: body }, [400, 431]);
  });
});

describe('a body that lies about its length', () => {
  const text = JSON.stringify(person('bob'));

  it('stores nothing when it is shorter and the client leaves', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(rawRequest(`POST ${PERSONS} HTTP/1.1`, [`Content-Length: ${text.length + 10}`], text));
    await sleep(50);
    socket.end();
    await sleep(50);
    socket.destroy();
  });

  it('is cut where the length says', async () => {
    const head = [TYPE, `Content-Length: ${text.length - 5}`];
    const { status, body } = rawAnswer(await server.raw(rawRequest(`POST ${PERSONS} HTTP/1.1`, head, text)));
    expectRefused({ status, text: body }, [400]);
  });

  it('is refused by its announced length, before it is sent', async () => {
    const head = [TYPE, 'Content-Length: 1000000000'];
    const bytes = `POST ${PERSONS} HTTP/1.1\r\nHost: localhost\r\n${head.join('\r\n')}\r\n\r\n`;
    const text = await server.raw(bytes);
    const { status, body } = rawAnswer(text);
    expectRefused({ status, text: body }, [413]);
    expect(text).toMatch(/^connection: close\r$/im);
  });

  it('is not read as the next request when it was refused', async () => {
    const smuggled = rawRequest(`DELETE ${PERSONS}/ann HTTP/1.1`);
    const bytes =
      `POST ${PERSONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    const answer = await server.raw(bytes);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 415']);
  });
});

describe('many requests on one connection', () => {
  it('are answered in order when they come at once', async () => {
    const get = (name: string): string => `GET ${PERSONS}/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const names = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? 'ann' : `nobody${i}`));
    const answer = await server.raw(names.map(get).join(''));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(
      names.map((name) => (name === 'ann' ? 'HTTP/1.1 200' : 'HTTP/1.1 404')),
    );
    const missing = [...answer.matchAll(/\\"(nobody\d+)\\" not found/g)].map((match) => match[1]);
    expect(missing).toEqual(names.filter((name) => name !== 'ann'));
  });

  it('do not stop others when 200 of them stay half sent', async () => {
    const sockets = Array.from({ length: 200 }, (_, i) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        i % 2 === 0
          ? `GET ${PERSONS} HTTP/1.1\r\nHost: loc`
          : `POST ${PERSONS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{`,
      );
      return socket;
    });
    await sleep(100);
    const began = performance.now();
    expect((await server.get(`${PERSONS}/ann`)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(5_000);
    for (const socket of sockets) socket.destroy();
    await sleep(50);
  });
});
