import { afterAll, beforeAll, expect, it } from 'vitest';
import { define, gadgets } from '../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly $ref?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly object[];
}

interface Swagger {
  readonly swagger: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** The members of schemas that readers of OpenAPI 2 know. */
const KNOWN =
  /^(\$ref|type|format|title|description|default|enum|required|pattern|properties|items|additionalProperties|readOnly|example|multipleOf|uniqueItems|(exclusive)?(maximum|minimum)|exclusiveM(ax|in)imum|m(ax|in)(Length|Items|Properties)|x-.*)$/;

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
  await define(server, gadgets());
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

async function read(): Promise<Swagger> {
  return (await server.send('GET', '/openapi/v2')).json() as unknown as Swagger;
}

function definitionOf({ definitions }: Swagger, gvk: object): Schema {
  const found = Object.values(definitions).find((one) =>
    one['x-kubernetes-group-version-kind']?.some((other) => JSON.stringify(other) === JSON.stringify(gvk)),
  );
  if (found === undefined) throw new Error(`no definition of ${JSON.stringify(gvk)}`);
  return found;
}

it('defines core kinds, kinds of definitions, and models of plugins', async () => {
  const document = await read();
  expect(document.swagger).toBe('2.0');
  const deployment = definitionOf(document, { group: 'apps', version: 'v1', kind: 'Deployment' });
  const template = deployment.properties?.spec?.properties?.template;
  expect(template?.properties?.spec?.properties?.containers).toMatchObject({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-patch-merge-key': 'name',
  });
  expect(definitionOf(document, { group: '', version: 'v1', kind: 'ConfigMapList' }).type).toBe('object');
  expect(
    definitionOf(document, { group: 'demo.example.com', version: 'v1alpha1', kind: 'Person' }),
  ).toBeDefined();
  const { group, versions, names } = (gadgets() as { spec: GadgetSpec }).spec;
  const gadget = { group, version: versions[0]?.name, kind: names.kind };
  expect(definitionOf(document, gadget).properties?.spec).toBeDefined();
  expect(document.definitions.Metadata).toMatchObject({
    properties: {
      finalizers: { 'x-kubernetes-list-type': 'set' },
      ownerReferences: { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['uid'] },
    },
  });
  const path = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
  expect(path?.patch).toMatchObject({
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
  });
});

interface GadgetSpec {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string }[];
}

it('uses only what OpenAPI 2 has, and every reference has a definition', async () => {
  const { definitions } = await read();
  const unknown = new Set<string>();
  const visit = (schema: Schema): void => {
    for (const name of Object.keys(schema)) if (!KNOWN.test(name)) unknown.add(name);
    if (schema.$ref !== undefined && definitions[schema.$ref.replace('#/definitions/', '')] === undefined)
      unknown.add(schema.$ref);
    for (const one of Object.values(schema.properties ?? {})) visit(one);
    for (const one of [schema.items, schema.additionalProperties]) if (one !== undefined) visit(one);
  };
  for (const schema of Object.values(definitions)) visit(schema);
  expect([...unknown]).toEqual([]);
});

it('has a tag that changes with the models alone', async () => {
  const first = await server.send('GET', '/openapi/v2');
  const tag = first.headers.etag ?? '';
  const same = await server.send('GET', '/openapi/v2', { headers: { 'if-none-match': tag } });
  expect(same.status).toBe(304);
  const other = gadgets((spec) => {
    Object.assign(spec, { group: 'other.example.com' });
  });
  await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    ...other,
    metadata: { name: 'gadgets.other.example.com' },
  });
  const changed = await server.send('GET', '/openapi/v2', { headers: { 'if-none-match': tag } });
  expect(changed.status).toBe(200);
});
