import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BAD_HINTS, GOOD_HINTS, hinted } from '../helpers/bad-hints.js';
import { define, DEFINITIONS, gadgets } from '../helpers/definitions.js';
import type { Json } from '../helpers/http.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const MODELS = '/apis/api.platform.run/v1alpha1/models';
const SCHEMA = 'spec.versions[0].schema.openAPIV3Schema';

let server: KubernetesServer;

beforeEach(async () => {
  server = await startKubernetesServer();
});
afterEach(() => server.close());
afterAll(removeDirectories);

function definition(schema: object): object {
  return gadgets((spec) => {
    const [version] = spec.versions;
    if (version !== undefined) Object.assign(version.schema, { openAPIV3Schema: schema });
  });
}

describe('hints for the console in a definition', () => {
  it('are refused with their path and what is allowed, and nothing is stored', async () => {
    for (const { schema, path, member, text } of BAD_HINTS) {
      const answer = await define(server, definition(schema));
      const steps = path.map((name) => `.properties[${name}]`).join('');
      expect([answer.status, answer.json().details.causes]).toEqual([
        422,
        [
          {
            field: `${SCHEMA}${steps}.x-xsvc-console${member}`,
            reason: 'FieldValueInvalid',
            message: text,
          },
        ],
      ]);
    }
    expect((await server.get(DEFINITIONS)).json().items).toEqual([]);
  });

  it('are accepted by strict requests, and stored', async () => {
    const name = 'gadgets.shop.example.com';
    expect((await define(server, gadgets())).status).toBe(201);
    for (const schema of GOOD_HINTS) {
      const body = { ...definition(schema), metadata: { name } };
      const put = await server.send('PUT', `${DEFINITIONS}/${name}?fieldValidation=Strict`, { body });
      expect([put.status, put.headers['warning']]).toEqual([200, undefined]);
      const stored = (await server.get(`${DEFINITIONS}/${name}`)).json();
      const { versions } = stored.spec as unknown as { versions: { schema: Json }[] };
      expect(versions[0]?.schema).toEqual({ openAPIV3Schema: schema });
    }
  });

  it('are in the description of models, in OpenAPI, and with the next change of the definition', async () => {
    const hints = { title: 'spec.title', icon: 'tags', group: 'Shop', columns: ['spec.title'] };
    expect((await define(server, definition(hinted(undefined)))).status).toBe(201);
    const url = `${DEFINITIONS}/gadgets.shop.example.com`;
    const { metadata } = (await server.get(url)).json();
    const changed = { ...definition(hinted(hints)), metadata };
    expect((await server.send('PUT', url, { body: changed })).status).toBe(200);
    const { items } = (await server.get(MODELS)).json();
    const model = items.find((one: Json) => one['plural'] === 'gadgets') as unknown as Json;
    expect((model['schema'] as Json)['x-xsvc-console']).toEqual(hints);
    const { text } = await server.get('/openapi/v3/apis/shop.example.com/v1');
    expect(text).toContain(`"x-xsvc-console":${JSON.stringify(hints)}`);
  });
});
