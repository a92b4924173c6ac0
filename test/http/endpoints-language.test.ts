import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Min, NotBlank, Schema, ServiceError, SortableRequest, validateBody } from '../../src/index.js';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';
import { Person } from '../helpers/models.js';

class Order {
  @NotBlank @Schema({ type: 'string' }) name!: string;
  @Min(1) @Schema({ type: 'integer' }) amount?: number;
}

class Query extends SortableRequest {
  @Schema({ type: 'integer' }) least?: number;
}

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
  await server.register(Person);
  server.add('a', [
    endpointOf((r) =>
      r
        .POST('/orders', (req) => ({ name: validateBody(req, Order).name }))
        .GET('/lists', (req) => Query.from(req).toListOptions())
        .GET('/greeting', ({ locale, query }) => {
          if (query.fail === undefined) return { locale };
          throw new ServiceError('NotFound', 'not there');
        }),
    ),
  ]);
});
afterAll(() => server.close());

const PERSONS = '/apis/demo.example.com/v1/persons';
const ORDERS = '/apis/api.demo.example.com/v1alpha1/orders';

describe('messages', () => {
  it('of a body that fails validation are in the language of the request', async () => {
    const send = (language: string) =>
      server.send('POST', ORDERS, {
        body: { name: ' ', amount: 0 },
        headers: { 'accept-language': language },
      });
    const german = await send('de-CH, en;q=0.5');
    expect([german.status, german.headers['content-language']]).toEqual([400, 'de']);
    expect(german.headers.vary).toBe('Accept, Accept-Language');
    expect(german.json()).toMatchObject({
      reason: 'BadRequest',
      message:
        'the request body is invalid: name: darf nicht leer sein; amount: muss größer oder gleich 1 sein',
      details: {
        causes: [
          { field: 'name', reason: 'FieldValueRequired', message: 'darf nicht leer sein' },
          { field: 'amount', reason: 'FieldValueInvalid', message: 'muss größer oder gleich 1 sein' },
        ],
      },
    });
    expect((await send('it')).headers['content-language']).toBe('en');
    expect((await server.send('POST', ORDERS, { body: { name: 'x' } })).text).toBe('{"name":"x"}');
  });

  it('of an invalid object are in the language of the request, on every write', async () => {
    const body = { metadata: { name: 'ann' }, spec: { level: 11, role: 'king', code: 'x' } };
    const headers = { 'accept-language': 'fr' };
    const answer = await server.send('POST', PERSONS, { body, headers });
    expect([answer.status, answer.headers['content-language']]).toEqual([422, 'fr']);
    expect(answer.headers.vary).toBe('Accept, Accept-Language');
    const causes = Object.fromEntries(
      answer.json().details.causes.map(({ field, message }) => [field, message]),
    );
    expect(causes).toMatchObject({ 'spec.level': 'doit être <= 10' });
    expect(causes['spec.role']).toContain('("guest", "member")');
    expect(answer.json().message).toContain('spec.level: doit être <= 10');
    expect(answer.json().message).not.toMatch(/must/);
    expect(Object.keys(answer.json().details.causes[0] ?? {})).toEqual(['field', 'reason', 'message']);
  });

  it('of an object without a name are in the language of the request', async () => {
    const headers = { 'accept-language': 'de' };
    const answer = await server.send('POST', PERSONS, { body: { spec: {} }, headers });
    expect(answer.json().details.causes).toContainEqual({
      field: 'metadata.name',
      reason: 'FieldValueRequired',
      message: 'muss das erforderliche Attribut name enthalten',
    });
  });

  it('do not change for a client that names no language', async () => {
    const answer = await server.send('POST', PERSONS, {
      body: { metadata: { name: 'ann' }, spec: { level: 11 } },
    });
    expect(answer.json().details.causes).toEqual([
      { field: 'spec.level', reason: 'FieldValueInvalid', message: 'must be <= 10, got 11' },
    ]);
    expect(answer.headers['content-language']).toBe('en');
    expect(answer.headers.vary).toBe('Accept, Accept-Language');
  });

  it.each([
    ['a query that fails validation', '/lists?least=x', 400, /muss/],
    ['a handler that reads the locale', '/greeting', 200, /"de"/],
    ['a handler that reads the locale and then fails', '/greeting?fail', 404, /not there/],
  ])('of %s state their language, and that it depends on the request', async (_, path, status, text) => {
    const headers = { 'accept-language': 'de' };
    const answer = await server.send('GET', `/apis/api.demo.example.com/v1alpha1${path}`, { headers });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
    expect(answer.headers.vary).toBe('Accept, Accept-Language');
    expect(answer.headers['content-language']).toBe(status === 404 ? undefined : 'de');
  });

  it('that do not depend on the language do not vary with it', async () => {
    const answer = await server.send('GET', `${PERSONS}/nobody`);
    expect([answer.status, answer.headers.vary]).toEqual([404, 'Accept']);
  });
});
