import { describe, expect, it } from 'vitest';
import { GVK, ListResult, RouteBuilder, Schema, SortableRequest } from '../../src/index.js';
import { routeOf } from './server.js';

const handler = (): string => 'ok';

@GVK({ group: 'demo.example.com', version: 'v1', kind: 'Toy', plural: 'toys', singular: 'toy' })
class Toy {}

class Order {
  @Schema({ type: 'integer' }) amount!: number;
}

describe('RouteBuilder', () => {
  it('builds routes in their order, with variables of both forms', () => {
    const { routes } = RouteBuilder.route()
      .GET('/persons/{name}', handler)
      .POST('/persons/:name/friends/', handler)
      .PUT('/a', handler)
      .PATCH('/a', handler)
      .DELETE('/a', handler)
      .build();
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /persons/{name}',
      'POST /persons/{name}/friends',
      'PUT /a',
      'PATCH /a',
      'DELETE /a',
    ]);
  });

  it('nests routes below a path', () => {
    const { routes } = RouteBuilder.route()
      .nest('/teams/{team}', (r) =>
        r.GET('/', handler).nest('/members', (inner) => inner.GET('/{name}', handler).build()),
      )
      .build();
    expect(routes.map(({ path }) => path)).toEqual(['/teams/{team}', '/teams/{team}/members/{name}']);
  });

  it.each([
    ['persons', 'must begin with a slash'],
    ['/a//b', 'empty segment'],
    ['/a/*', 'wildcard'],
    ['/a/{rest*}', 'wildcard'],
    ['/{a}/{a}', 'the variable "a" twice'],
    ['/a{b}', 'a variable is a whole segment'],
    ['/a/..', 'clients remove from URLs'],
    ['/a?b', 'plain text'],
  ])('refuses the path %s', (path, problem) => {
    expect(() => RouteBuilder.route().GET(path, handler)).toThrow(`route GET ${path}`);
    expect(() => RouteBuilder.route().GET(path, handler)).toThrow(problem);
  });

  it('refuses the same variable above and below', () => {
    expect(() => RouteBuilder.route().nest('/{name}', (r) => r.GET('/x/{name}', handler))).toThrow(
      'the variable "name" twice',
    );
  });

  it('refuses a handler that is no function', () => {
    expect(() => RouteBuilder.route().GET('/a', 'text' as never)).toThrow(
      'route GET /a: the handler must be a function',
    );
  });

  it('describes a route', () => {
    const { description } = routeOf((r) =>
      r.POST('/toys', handler, (d) =>
        d
          .operationId('CreateToy')
          .summary('Creates')
          .description('Creates a toy.')
          .tag('ToyV1Console', 'ToyV1Console')
          .parameter({ name: 'dry', in: 'query', schema: { type: 'boolean' } })
          .requestBody(Order)
          .response({ status: 201, type: Toy })
          .response(ListResult.of(Toy))
          .response({ status: 404, description: 'No such toy' })
          .deprecated(),
      ),
    );
    expect(description).toEqual({
      operationId: 'CreateToy',
      summary: 'Creates',
      description: 'Creates a toy.',
      tags: ['ToyV1Console'],
      parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }],
      requestBody: { type: Order },
      responses: [
        { status: 201, description: 'Created', type: Toy },
        { status: 200, description: 'OK', type: { pageOf: Toy } },
        { status: 404, description: 'No such toy' },
      ],
      deprecated: true,
    });
  });

  it('distinguishes a JSON Schema from a description with a type in it', () => {
    const schema = { type: 'object', description: 'A thing', properties: {} };
    const typed = routeOf((r) => r.GET('/a', handler, (d) => d.response(schema).requestBody(schema)));
    expect(typed.description.responses[0]).toMatchObject({ status: 200, type: schema });
    expect(typed.description.requestBody).toEqual({ type: schema });
    const described = routeOf((r) =>
      r.GET('/a', handler, (d) => d.requestBody({ type: schema, required: false })),
    );
    expect(described.description.requestBody).toEqual({ type: schema, required: false });
  });

  it('expands a class to query parameters, those of lists first', () => {
    class ToyQuery extends SortableRequest {
      @Schema({
        type: 'integer',
        description: 'Lowest price',
        minimum: 0,
        example: 3,
        requiredMode: 'REQUIRED',
      })
      minPrice!: number;
    }
    const { description } = routeOf((r) => r.GET('/toys', handler, (d) => d.parameters(ToyQuery)));
    expect(description.parameters.map(({ name }) => name)).toEqual([
      'page',
      'size',
      'sort',
      'labelSelector',
      'fieldSelector',
      'filter',
      'minPrice',
    ]);
    expect(description.parameters.at(-1)).toEqual({
      name: 'minPrice',
      in: 'query',
      description: 'Lowest price',
      required: true,
      schema: { type: 'integer', minimum: 0 },
      example: 3,
    });
  });

  it('refuses descriptions that say nothing', () => {
    expect(() => routeOf((r) => r.GET('/a', handler, (d) => d.operationId('')))).toThrow(
      'route GET /a: operationId must be a non-empty string',
    );
    expect(() => routeOf((r) => r.GET('/a', handler, (d) => d.response(7 as never)))).toThrow(
      'a type must be a class',
    );
    expect(() => ListResult.of(Order)).toThrow('Order is not a model');
  });
});
