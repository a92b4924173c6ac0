import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RouteBuilder, Schema, ServiceError, SortableRequest, validateBody } from '../../src/index.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import {
  PERSONS,
  PERSON_REF,
  person,
  startTestServer,
  type HttpAnswer,
  type HttpRequest,
  type TestServer,
} from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const BASE = '/apis/api.demo.example.com/v1alpha1';
const BYTES_MAX = 4096;
const LONG = 'x'.repeat(50_000);
/** Long, longer in bytes than in characters, longer in JSON, made of many short parts, and not even a pair of halves. */
const VALUES = [LONG, 'é'.repeat(8_000), '\u0001'.repeat(16_000), 'x.'.repeat(20_000), '😀'.repeat(4_000)];

let server: TestServer;
let custom: EndpointServer;

class Query extends SortableRequest {
  @Schema({ type: 'integer' }) least?: number;
}
const FORM = {
  type: 'object',
  properties: { a: { type: 'string', maxLength: 5 } },
  additionalProperties: false,
};

beforeAll(async () => {
  server = await startTestServer();
  custom = await startEndpointServer();
  const routes = (r: RouteBuilder): RouteBuilder =>
    r
      .POST('/forms', (req) => validateBody(req, FORM))
      .GET('/lists', (req) => Query.from(req).toListOptions())
      .GET('/fails/{name}', ({ params }) => {
        const causes = Array.from({ length: 500 }, (_, i) => ({
          field: `f${i}.${params.name ?? ''}`,
          reason: 'FieldValueInvalid' as const,
          message: `no ${params.name ?? ''}`,
        }));
        throw new ServiceError('Conflict', `no ${params.name ?? ''}`, { name: params.name ?? '', causes });
      });
  custom.add('a', [endpointOf(routes)]);
  await server.service.create(PERSON_REF, person('ann', { email: 'ann@example.com' }));
});
afterAll(async () => {
  await server.close();
  await custom.close();
  removeDirectories();
});

/** An answer to something that is wrong is small, and repeats little of it. Causes of an invalid object may be many. */
function expectShort(answer: HttpAnswer): void {
  if (answer.status < 400) return;
  const head = JSON.stringify(answer.headers);
  expect(head + answer.text).not.toMatch(/x{101}|é{101}|(\\u0001){101}|😀{101}|\p{Surrogate}/u);
  expectSmall(answer);
}

function expectSmall(answer: HttpAnswer): void {
  const head = JSON.stringify(answer.headers);
  expect(Buffer.byteLength(head)).toBeLessThan(BYTES_MAX / 4);
  if (answer.status === 422) expect(Buffer.byteLength(answer.json().message)).toBeLessThan(BYTES_MAX);
  else expect(Buffer.byteLength(head + answer.text)).toBeLessThan(BYTES_MAX);
}

async function expectRefused(answering: Promise<HttpAnswer>): Promise<void> {
  const answer = await answering;
  expect(answer.status, answer.text.slice(0, 200)).toBeGreaterThanOrEqual(400);
  expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500);
  expectShort(answer);
}

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const YAML = { 'content-type': 'application/yaml' };

describe('an error about a long value is short', () => {
  it.each([
    ['page', 'size', 'limit', 'continue', 'sort', 'labelSelector', 'fieldSelector', 'explain', 'watch'],
    ['dryRun', 'fieldValidation', 'allowWatchBookmarks', 'sendInitialEvents', 'resourceVersionMatch'],
    ['forceFinalizers', 'propagationPolicy', 'resourceVersion', 'timeoutSeconds', 'includeObject', LONG],
  ])('in the parameters %s, %s, %s, %s, %s, ...', async (...names) => {
    for (const value of VALUES.map(encodeURIComponent)) {
      for (const name of names) {
        const query = `?${name}=${value}`.slice(0, 60_000).replace(/%[^%]?$/, '');
        for (const target of [`${PERSONS}${query}`, `${PERSONS}/ann${query}`, `/v3/api-docs${query}`]) {
          expectShort(await server.get(target));
          expectShort(await server.get(target, { accept: 'application/yaml' }));
          expectShort(await server.send('DELETE', target.replace('ann', 'nobody')));
          expectShort(await server.send('POST', target, { body: {} }));
        }
        for (const rest of ['watch=true', 'explain=true']) {
          if (name === 'timeoutSeconds' || name === 'resourceVersion')
            await expectRefused(server.get(`${PERSONS}${query}&watch=true`));
          else if (rest === 'explain=true') expectShort(await server.get(`${PERSONS}${query}&${rest}`));
        }
        expectShort(await server.send('POST', BATCHES + query, { body: { items: [] } }));
        expectShort(await custom.send('GET', `${BASE}/lists${query}`));
      }
    }
  });

  it.each([
    ['labelSelector', ['a=', 'a in (', '!', '=', 'a=b,', 'a!=', 'a/']],
    ['fieldSelector', ['spec.age=', 'spec.age in (', 'name=(a,', '', '!', 'spec.nothing=']],
    ['sort', ['spec.age,', '']],
    ['dryRun', ['All&dryRun=']],
  ])('in a part of %s', async (name, starts) => {
    for (const value of VALUES.map(encodeURIComponent))
      for (const start of starts.map((text) => (text.includes('&') ? text : encodeURIComponent(text)))) {
        const query = `?${name}=${start}${value}`.slice(0, 60_000).replace(/%[^%]?$/, '');
        const method = name === 'dryRun' ? 'DELETE' : 'GET';
        expectShort(await server.send(method, `${PERSONS}${name === 'dryRun' ? '/nobody' : ''}${query}`));
      }
  });

  it('in a path', async () => {
    for (const value of [...VALUES.map(encodeURIComponent), `%${LONG}`, '%ff'.repeat(10_000)]) {
      const segment = value.slice(0, 60_000).replace(/%[^%]?$/, '');
      const targets = [
        `/${segment}`,
        `${PERSONS}/${segment}`,
        `${PERSONS}/ann/${segment}`,
        `/apis/${segment}`,
        `/apis/${segment}/v1/persons/ann`,
        `/apis/demo.example.com/${segment}/persons`,
        `/apis/demo.example.com/v1alpha1/${segment}`,
        `/openapi/v3/apis/${segment}/v1`,
        `/v3/api-docs/${segment}`,
        `/swagger-ui/${segment}`,
      ];
      for (const method of ['GET', 'PUT', 'DELETE', 'POST'])
        for (const target of targets) await expectRefused(server.send(method, target, { body: {} }));
      expectSmall(await custom.send('GET', `${BASE}/fails/${segment}`));
    }
  });

  it('in a header', async () => {
    const put = (headers: Record<string, string>): HttpRequest => ({ headers, body: person('ann') });
    for (const value of [LONG, 'x,'.repeat(25_000), 'x;'.repeat(25_000), 'x/y;q='.repeat(8_000)]) {
      for (const name of ['content-type', 'content-encoding', 'if-match', 'origin', 'sec-fetch-site', 'host'])
        await expectRefused(server.send('PUT', `${PERSONS}/ann`, put({ [name]: value })));
      for (const name of [
        'accept',
        'accept-language',
        'if-none-match',
        'user-agent',
        'impersonate-user',
        value,
      ]) {
        const header = { [name.slice(0, 1_000).replaceAll(/[,;/=]/g, '')]: value };
        expectShort(await server.get(`${PERSONS}/nobody`, header));
        expectShort(await server.send('POST', PERSONS, { body: { spec: { age: 'x' } }, headers: header }));
      }
      await expectRefused(
        custom.send('POST', `${BASE}/forms`, { body: '', headers: { 'content-type': value } }),
      );
    }
  });

  it('in a body', async () => {
    for (const value of VALUES) {
      const bodies = [
        { kind: value },
        { apiVersion: value },
        { metadata: { name: value }, spec: { name: 'x' } },
        { metadata: { generateName: value }, spec: { name: 'x' } },
        { metadata: { name: 'bob', labels: { [value]: 'x', a: value } }, spec: { name: 'x' } },
        { metadata: { name: 'bob', annotations: { [value]: 'x' } }, spec: { name: 'x' } },
        { metadata: { name: 'bob', finalizers: [value, 1] }, spec: { name: 'x' } },
        { metadata: { name: 'bob' }, spec: { name: 'x', age: value, gender: value, email: value } },
        { metadata: { name: 'bob' }, spec: { name: 'x', [value]: 1 } },
        { metadata: { name: 'bob' }, spec: { name: 'x', address: { [value]: { [value]: 1 } } } },
      ];
      for (const body of bodies) {
        await expectRefused(server.send('POST', `${PERSONS}?fieldValidation=Strict`, { body }));
        await expectRefused(server.send('PUT', `${PERSONS}/ann?fieldValidation=Strict`, { body }));
        const named = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
        const item = { verb: 'create', object: { ...body, ...named } };
        const query = '?fieldValidation=Strict';
        expectShort(await server.send('POST', BATCHES + query, { body: { items: [item] } }));
      }
      for (const body of [
        { metadata: { resourceVersion: value } },
        { metadata: { version: value } },
        { metadata: { name: value } },
        { kind: value },
      ])
        await expectRefused(server.send('PATCH', `${PERSONS}/ann`, { body, headers: MERGE }));
      await expectRefused(
        server.send('DELETE', `${PERSONS}/ann`, { body: { preconditions: { uid: value } } }),
      );
      for (const member of ['dryRun', 'propagationPolicy'])
        await expectRefused(server.send('DELETE', `${PERSONS}/ann`, { body: { [member]: value } }));
      await expectRefused(custom.send('POST', `${BASE}/forms`, { body: { a: value, [value]: 1 } }));
    }
  });

  it('in a body that cannot be read', async () => {
    for (const text of [
      LONG,
      `{"${LONG}":1,"${LONG}":2}`,
      `{"${LONG}":"\\ud800"}`,
      `{"a":${LONG}}`,
      `{"a":"${LONG}`,
      `{"${LONG}":1e400}`,
    ]) {
      await expectRefused(server.send('POST', PERSONS, { body: text }));
      await expectRefused(server.send('PATCH', `${PERSONS}/ann`, { body: text, headers: JSON_PATCH }));
    }
    for (const text of [`${LONG}: [`, `${LONG}: 1\n${LONG}: 2`])
      await expectRefused(server.send('POST', PERSONS, { body: text, headers: YAML }));
  });

  it('in a unique value that another object has', async () => {
    const email = `${'x'.repeat(60)}@${'x'.repeat(60)}.${'x'.repeat(60)}.com`;
    await server.service.create(PERSON_REF, person('has-it', { email }));
    await expectRefused(server.send('POST', PERSONS, { body: person('bob', { email }) }));
  });
});
