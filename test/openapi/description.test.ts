import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/object.js';
import { Email, Max, Min, NotBlank, NotNull, Size } from '../../src/endpoint/constraints.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import { PLATFORM_DESCRIPTION } from '../../src/http/platform/endpoints.js';
import { Describer } from '../../src/openapi/description.js';
import { GROUPS } from '../../src/openapi/groups.js';
import { Person } from '../helpers/models.js';
import {
  describeAll,
  faultsOf,
  manyModels,
  modelWith,
  operationsOf,
  person,
  pet,
  renamed,
  route,
  valueOf,
} from './helpers.js';

const PERSONS = '/apis/demo.example.com/v1/persons';
const ROUTE_ERROR = { $ref: '#/components/responses/Error' };

class Address {
  @Schema({ type: 'string', requiredMode: 'REQUIRED' })
  city!: string;
}

class Order {
  @Schema({ type: Address })
  address?: Address;
}

class Line {
  @Schema({ type: 'string' })
  @NotBlank
  article!: string;

  @Min(1)
  @Max(99)
  count?: number;
}

class Basket {
  @NotNull
  @Size({ min: 1, max: 5 })
  @Schema({ type: 'array', items: { type: Line } })
  lines!: Line[];

  @Email
  @Schema({ type: 'string', maxLength: 50 })
  mail?: string;
}

describe('the description of models', () => {
  it('is valid in every group', async () => {
    const description = describeAll([person], [route({}, { operationId: 'ListThings' })]);
    for (const id of description.ids()) expect(await faultsOf(valueOf(description.find(id)))).toEqual([]);
  });

  it.each([0, 20])('is valid with %i models', async (count) => {
    expect(await faultsOf(valueOf(describeAll(manyModels(count)).aggregated()))).toEqual([]);
  });

  it('has the five groups, those of plugins and the platform, and one document for each plugin', () => {
    const description = describeAll([person], [route({ plugin: 'shop' })]);
    expect(description.ids()).toEqual([
      'apis_aggregated.api_v1alpha1',
      'apis_extension.api_v1alpha1',
      'apis_console.api_v1alpha1',
      'apis_uc.api_v1alpha1',
      'apis_public.api_v1alpha1',
      'apis_plugins.api_v1alpha1',
      'apis_platform.api_v1alpha1',
      'plugin_shop',
    ]);
    expect(GROUPS.map(({ name }) => name)).toEqual([
      'Aggregated API V1alpha1',
      'Extension API V1alpha1',
      'Console API V1alpha1',
      'User-center API V1alpha1',
      'Public API V1alpha1',
      'Plugins API V1alpha1',
      'Platform API V1alpha1',
    ]);
    expect(description.find('apis_nothing.api_v1alpha1')).toBeUndefined();
  });

  it('splits all paths between the documents of plugins and of the platform, plugins first', () => {
    // Kinds of Kubernetes have groups that are not reserved.
    const lease = renamed(pet, { kind: 'Lease', plural: 'leases', group: 'coordination.k8s.io' });
    const owners = new Map([
      [lease, 'platform'],
      [person, 'shop'],
    ]);
    const described = new Describer(PLATFORM_DESCRIPTION).describe({
      models: [lease, person],
      routes: [route({ plugin: 'shop' }, { operationId: 'ListThings' })],
      programVersion: '1.2.3',
      ownerOf: (model) => owners.get(model),
    });
    const pathsOf = (id: string): string[] =>
      Object.keys(valueOf(described.find(`apis_${id}.api_v1alpha1`)).paths);
    const [plugins, platform, all] = [pathsOf('plugins'), pathsOf('platform'), pathsOf('aggregated')];
    expect(plugins.filter((path) => !path.startsWith(PERSONS))).toHaveLength(1);
    expect(platform).toEqual(expect.arrayContaining(['/apis/coordination.k8s.io/v1/leases', '/livez']));
    expect(all).toEqual([...plugins, ...platform]);
    expect(
      pathsOf('extension')
        .slice(0, 5)
        .every((path) => path.startsWith(PERSONS)),
    ).toBe(true);
    expect(pathsOf('extension')).toContain('/apis/coordination.k8s.io/v1/leases');
    expect(described.ids().filter((id) => id.startsWith('plugin_'))).toEqual(['plugin_shop']);
  });

  it('names generated operations after the kind and tags them with kind and version', () => {
    const { paths } = valueOf(describeAll([person]).find('apis_extension.api_v1alpha1'));
    const one = `${PERSONS}/{name}`;
    expect(Object.keys(paths)).toEqual([
      PERSONS,
      one,
      `${one}/status`,
      `${one}/history`,
      `${PERSONS}/-/history`,
    ]);
    const ids = Object.values(paths).flatMap((item) =>
      Object.entries(item).map(([method, { operationId, tags }]) => [method, operationId, ...tags].join(' ')),
    );
    expect(ids).toEqual([
      'get ListPerson PersonV1',
      'post CreatePerson PersonV1',
      'get GetPerson PersonV1',
      'put UpdatePerson PersonV1',
      'patch PatchPerson PersonV1',
      'delete DeletePerson PersonV1',
      'get GetPersonStatus PersonV1',
      'put UpdatePersonStatus PersonV1',
      'patch PatchPersonStatus PersonV1',
      'get GetPersonHistory PersonV1',
      'get ListPersonHistory PersonV1',
    ]);
  });

  it('names sortable and selectable fields', () => {
    const parameters = valueOf(describeAll([person]).aggregated()).paths[PERSONS]?.get?.parameters ?? [];
    const text = (name: string): string =>
      String(parameters.find((parameter) => parameter.name === name)?.description);
    for (const name of ['sort', 'fieldSelector']) {
      expect(text(name)).toContain('`spec.age`');
      expect(text(name)).toContain('`metadata.name`');
      expect(text(name)).not.toContain('metadata.labels');
    }
    expect(text('sort')).not.toContain('deletionTimestamp');
    expect(text('fieldSelector')).toContain('deletionTimestamp');
  });

  it('tells bodies, answers and errors of writes', () => {
    const { paths } = valueOf(describeAll([person]).aggregated());
    const create = paths[PERSONS]?.post;
    expect(Object.keys(create?.requestBody?.content ?? {})).toEqual(['application/json', 'application/yaml']);
    expect(Object.keys(create?.responses ?? {})).toEqual([
      '201',
      '400',
      '401',
      '403',
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(Object.keys((create?.responses['201'] as { headers: object }).headers)).toEqual([
      'ETag',
      'Location',
      'Warning',
    ]);
    const patch = paths[`${PERSONS}/{name}`]?.patch;
    expect(Object.keys(patch?.requestBody?.content ?? {})).toEqual([
      'application/merge-patch+json',
      'application/json-patch+json',
    ]);
    expect(Object.keys(patch?.responses ?? {})).toEqual(expect.arrayContaining(['404', '412']));
  });

  it('keeps the rules of fields, and marks the fields that the service sets', () => {
    const { schemas } = valueOf(describeAll([person, pet]).aggregated()).components;
    const properties = schemas.Person?.properties as Record<
      string,
      { properties: JsonObject; enum: string[] }
    >;
    expect(properties.spec?.properties).toMatchObject({
      role: { type: 'string', enum: ['guest', 'member'], default: 'guest' },
      level: { minimum: 1, maximum: 10 },
    });
    expect(properties.metadata).toEqual({ $ref: '#/components/schemas/Metadata' });
    expect(schemas.Metadata).toMatchObject({ properties: { uid: { readOnly: true } } });
    expect(properties.apiVersion?.enum).toEqual(['demo.example.com/v1']);
    expect(schemas.Person?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'demo.example.com', version: 'v1', kind: 'Person' },
    ]);
    expect(schemas.PetSpec).toMatchObject({ required: ['species'] });
    expect(schemas.PersonList).toMatchObject({
      properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Person' } } },
    });
  });

  it('has unique operation ids and schemas when kinds are alike', async () => {
    const twin = renamed(person, { group: 'other.example.com' });
    const unlucky = renamed(pet, { kind: 'PersonStatus', plural: 'personstatuses' });
    const history = renamed(pet, { kind: 'PersonHistory', plural: 'personhistories' });
    const status = renamed(pet, { kind: 'Status', plural: 'statuses' });
    const document = valueOf(describeAll([twin, person, unlucky, history, status]).aggregated());
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(document.paths[PERSONS]?.get?.operationId).toBe('ListPerson');
    expect(document.paths['/apis/other.example.com/v1/persons']?.get?.operationId).toBe(
      'ListPersonV1OtherExampleCom',
    );
    expect(document.paths['/apis/demo.example.com/v1/personstatuses/{name}']?.get?.operationId).toBe(
      'GetPersonStatus',
    );
    expect(document.components.schemas.Status).toMatchObject({
      required: expect.arrayContaining(['reason']) as [],
    });
    expect(await faultsOf(document)).toEqual([]);
  });

  it('shares parts that say the same, and tells apart those that do not', () => {
    const spec = { $ref: '#/$defs/Part' };
    const one = modelWith(spec, { Part: { type: 'string' } }, { kind: 'One', plural: 'ones' });
    const same = modelWith(spec, { Part: { type: 'string' } }, { kind: 'Same', plural: 'sames' });
    const two = modelWith(spec, { Part: { type: 'integer' } }, { kind: 'Two', plural: 'twos' });
    const { schemas } = valueOf(describeAll([one, same, two]).aggregated()).components;
    const specOf = (kind: string): unknown => (schemas[kind]?.properties as JsonObject).spec;
    expect(specOf('One')).toEqual({ $ref: '#/components/schemas/Part' });
    expect(specOf('Same')).toEqual({ $ref: '#/components/schemas/Part' });
    expect(specOf('Two')).toEqual({ $ref: '#/components/schemas/TwoPart' });
    expect([schemas.Part, schemas.TwoPart]).toEqual([{ type: 'string' }, { type: 'integer' }]);
  });

  it('marks a model also when another model that comes first contains it', () => {
    @GVK({ group: 'a.example.com', version: 'v1', kind: 'Team', plural: 'teams', singular: 'team' })
    class Team extends AbstractExtension {
      @Schema({ type: Person })
      lead?: Person;
    }
    const team = new SchemeRegistry().register(Team, 'test').resource;
    const { schemas } = valueOf(describeAll([team, person]).aggregated()).components;
    expect((schemas.Team?.properties as JsonObject).lead).toEqual({ $ref: '#/components/schemas/Person' });
    expect(schemas.Person).toHaveProperty('x-kubernetes-group-version-kind');
    expect(Object.keys(schemas).filter((name) => name.includes('Person'))).toEqual(['Person', 'PersonList']);
  });

  it('does not depend on the order of the models', () => {
    const models = [...manyModels(8), renamed(person, { group: 'zoo.example.com', kind: 'Thing1' })];
    const tag = describeAll(models).aggregated().tag;
    expect(describeAll(models.toReversed()).aggregated().tag).toBe(tag);
  });

  it('changes its tag exactly when the text changes', () => {
    const describer = new Describer(PLATFORM_DESCRIPTION);
    const first = describeAll([person], [], describer).aggregated();
    expect(describeAll([person], [], describer).aggregated().tag).toBe(first.tag);
    const second = describeAll([person, pet], [], describer).aggregated();
    expect(second.tag).not.toBe(first.tag);
    expect(second.json().equals(first.json())).toBe(false);
    const withoutPet = describeAll([person], [], describer).aggregated();
    expect([withoutPet.tag, withoutPet.json()]).toEqual([first.tag, first.json()]);
  });
});

describe('the description of custom endpoints', () => {
  it('puts them into the group of their audience and into the aggregated one', () => {
    const routes = (['console', 'uc', 'public', 'other'] as const).map((audience) =>
      route({ audience, path: `/apis/x/v1/${audience}` }, { operationId: `List${audience}` }),
    );
    const description = describeAll([person], routes);
    const pathsOf = (id: string): string[] => Object.keys(valueOf(description.find(id)).paths);
    expect(pathsOf('apis_console.api_v1alpha1')).toEqual(['/apis/x/v1/console']);
    expect(pathsOf('apis_uc.api_v1alpha1')).toEqual(['/apis/x/v1/uc']);
    expect(pathsOf('apis_public.api_v1alpha1')).toEqual(['/apis/x/v1/public']);
    expect(pathsOf('apis_aggregated.api_v1alpha1')).toEqual(
      expect.arrayContaining(['/apis/x/v1/other', '/apis/x/v1/uc', PERSONS, '/version']),
    );
    expect(pathsOf('apis_extension.api_v1alpha1')).not.toContain('/apis/x/v1/other');
  });

  it('has what the description says, and adds the path variables and the error', async () => {
    const given = route(
      { method: 'POST', path: '/apis/console.api.demo.example.com/v1/orders/{name}/items' },
      {
        operationId: 'AddItem',
        summary: 'Add an item',
        tags: ['OrderV1Console'],
        parameters: [{ name: 'fast', in: 'query', schema: { type: 'boolean' }, example: true }],
        requestBody: { type: Order },
        responses: [
          { status: 201, description: 'Added', type: Order },
          { status: 200, description: 'All', type: { pageOf: Person } },
          { status: 204, description: 'Nothing' },
        ],
      },
    );
    const description = describeAll([person], [given]);
    const document = valueOf(description.find('apis_console.api_v1alpha1'));
    expect(description.warnings).toEqual([]);
    expect(document.paths[given.path]?.post).toEqual({
      operationId: 'AddItem',
      tags: ['OrderV1Console'],
      summary: 'Add an item',
      parameters: [
        { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'fast', in: 'query', schema: { type: 'boolean' }, example: true },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
      },
      responses: {
        200: {
          description: 'All',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/PersonList' } } },
        },
        201: {
          description: 'Added',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        204: { description: 'Nothing' },
        default: ROUTE_ERROR,
      },
    });
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Address', 'Order', 'Person', 'PersonList', 'Status']),
    );
    expect(document.components.schemas).not.toHaveProperty('Pet');
    expect(await faultsOf(document)).toEqual([]);
  });

  it('contains the constraints on the fields of a body', async () => {
    const given = route({ method: 'POST' }, { operationId: 'CreateBasket', requestBody: { type: Basket } });
    const document = valueOf(describeAll([], [given]).aggregated());
    expect(document.components.schemas.Basket).toEqual({
      type: 'object',
      required: ['lines'],
      properties: {
        lines: { type: 'array', minItems: 1, maxItems: 5, items: { $ref: '#/components/schemas/Line' } },
        mail: { type: 'string', maxLength: 50, format: 'email' },
      },
    });
    expect(document.components.schemas.Line).toEqual({
      type: 'object',
      required: ['article'],
      properties: {
        article: { type: 'string', minLength: 1 },
        count: { type: 'number', minimum: 1, maximum: 99 },
      },
    });
    expect(await faultsOf(document)).toEqual([]);
  });

  it('takes a schema as data, with its own references', async () => {
    const type = {
      type: 'array',
      items: { $ref: '#/$defs/Row' },
      $defs: { Row: { type: ['string', 'null'] } },
    };
    const given = route(
      {},
      { operationId: 'ListRows', responses: [{ status: 200, description: 'x', type }] },
    );
    const document = valueOf(describeAll([], [given]).aggregated());
    expect(document.paths[given.path]?.get?.responses['200']).toEqual({
      description: 'x',
      content: {
        'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Row' } } },
      },
    });
    expect(document.components.schemas.Row).toEqual({ type: 'string', nullable: true });
    expect(await faultsOf(document)).toEqual([]);
  });

  it('warns of ids that are missing, not in PascalCase or taken, and makes them unique', () => {
    const { warnings, ...description } = described([
      route({ path: '/apis/console.api.demo.example.com/v1/a/{name}/friends' }),
      route({ path: '/apis/x/v1/b' }, { operationId: 'listB' }),
      route({ path: '/apis/x/v1/c' }, { operationId: 'GetPerson' }),
      route({ path: '/apis/x/v1/d' }, { operationId: 'GetPerson' }),
    ]);
    expect(description.ids).toEqual(['GetAByNameFriends', 'ListB', 'GetPersonShop', 'GetPersonShop2']);
    expect(warnings).toEqual([
      'plugin "shop": GET /apis/console.api.demo.example.com/v1/a/{name}/friends: has no operationId; it is described as GetAByNameFriends',
      'plugin "shop": GET /apis/x/v1/b: the operationId "listB" is not in PascalCase; it is described as ListB',
      'plugin "shop": GET /apis/x/v1/c: the operationId "GetPerson" is already used; this route is described as GetPersonShop',
      'plugin "shop": GET /apis/x/v1/d: the operationId "GetPerson" is already used; this route is described as GetPersonShop2',
    ]);
  });

  it('keeps an operationId as it is declared in a document without the operation that has it too', () => {
    const card = route({ path: '/apis/x/v1/c' }, { operationId: 'GetPerson' });
    const twin = route({ path: '/apis/x/v1/d' }, { operationId: 'GetPerson' });
    const description = describeAll([person], [card, twin]);
    const idsOf = (id: string): (string | undefined)[] => {
      const { paths } = valueOf(description.find(id));
      return [`${PERSONS}/{name}`, card.path, twin.path].map((path) => paths[path]?.get?.operationId);
    };
    expect(idsOf('apis_console.api_v1alpha1')).toEqual([undefined, 'GetPerson', 'GetPersonShop']);
    expect(idsOf('apis_extension.api_v1alpha1')).toEqual(['GetPerson', undefined, undefined]);
    expect(idsOf('apis_aggregated.api_v1alpha1')).toEqual(['GetPerson', 'GetPersonShop', 'GetPersonShop2']);
  });

  it('warns of what cannot be described, and stays valid', async () => {
    @GVK({ group: 'a.example.com', version: 'v1', kind: 'Lost', plural: 'losts', singular: 'lost' })
    class Lost extends AbstractExtension {}
    const routes = [
      route(
        { path: '/apis/x/v1/a' },
        {
          operationId: 'GetA',
          parameters: [
            { name: 'id', in: 'path' },
            { name: 'q', in: 'query' },
            { name: 'q', in: 'query' },
          ],
          responses: [{ status: 200, description: 'x', type: { $ref: '#/$defs/none' } }],
        },
      ),
      route(
        { path: '/apis/x/v1/b' },
        { operationId: 'GetB', responses: [{ status: 200, description: 'x', type: { pageOf: Lost } }] },
      ),
      route({ method: 'POST', path: PERSONS }, { operationId: 'MakePerson' }),
    ];
    const description = describeAll([person], routes);
    const texts = description.warnings.join('\n');
    expect(texts).toMatch('the described parameter "id" is not a variable of the path');
    expect(texts).toMatch('the query parameter "q" is described twice');
    expect(texts).toMatch('none of the schema does not exist');
    expect(texts).toMatch('a page of Lost, which is not a registered model');
    expect(texts).toMatch(`POST ${PERSONS}: is left out of the description`);
    expect(await faultsOf(valueOf(description.aggregated()))).toEqual([]);
  });

  it('makes one path of those that differ in the names of variables only', async () => {
    const description = describeAll(
      [],
      [
        route({ path: '/apis/x/v1/a/{id}' }, { operationId: 'GetA' }),
        route({ method: 'PUT', path: '/apis/x/v1/a/{name}' }, { operationId: 'PutA' }),
      ],
    );
    const document = valueOf(description.find('apis_console.api_v1alpha1'));
    expect(Object.keys(document.paths)).toEqual(['/apis/x/v1/a/{id}']);
    expect(document.paths['/apis/x/v1/a/{id}']?.put?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    ]);
    expect(await faultsOf(document)).toEqual([]);
  });
});

function described(routes: Parameters<typeof describeAll>[1]) {
  const description = describeAll([person], routes);
  const { paths } = valueOf(description.aggregated());
  return {
    warnings: description.warnings,
    ids: routes?.map(({ method, path }) => paths[path]?.[method.toLowerCase()]?.operationId),
  };
}
