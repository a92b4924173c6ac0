import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const NAME = `${DEFINITIONS}/gadgets.shop.example.com`;
const ANNOTATION = 'metadata.annotations[xsvc.platform.run/indexes]';

afterEach(killDaemons);
afterAll(removeDirectories);

/** Gadgets whose `spec` has a schema. */
function withSpec(schema: object, annotations = {}) {
  return gadgets(({ versions: [version] }) => {
    if (version !== undefined) version.schema.openAPIV3Schema.properties.spec = schema;
  }, annotations);
}

const startOn = (dataDir: string) => startDaemonProcess({ dataDir, plugins: [temporaryDirectory()] });

function indexed(...indexes: readonly object[]) {
  return gadgets(undefined, { 'xsvc.platform.run/indexes': JSON.stringify(indexes) });
}

/** Gadgets whose fields may have any value. */
const codes = (annotations = {}) =>
  withSpec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, annotations);

async function createAll(daemon: DaemonProcess, specs: Readonly<Record<string, object>>): Promise<void> {
  for (const [name, spec] of Object.entries(specs)) {
    const body = gadget(name, spec);
    expect((await daemon.send('POST', gadgetsIn('default'), { body })).status).toBe(201);
  }
}

describe('a definition with a new index', () => {
  it('is refused when two objects share a value that must be unique, and nothing is changed', async () => {
    const daemon = await startOn(temporaryDirectory());
    await define(daemon, gadgets());
    await createAll(daemon, { a: { size: 7 }, b: { size: 7 }, c: { size: 8 } });
    const before = (await daemon.get(NAME)).json();
    const body = indexed({ field: '.spec.size', type: 'integer', unique: true });
    for (const query of ['', '?dryRun=All']) {
      const answer = await daemon.send('PUT', `${NAME}${query}`, { body });
      expect(answer.status).toBe(422);
      expect(answer.json().details.causes).toEqual([
        {
          reason: 'FieldValueInvalid',
          field: ANNOTATION,
          message: 'Gadget "default/b": spec.size: has "7", which "default/a" has',
        },
      ]);
    }
    expect((await daemon.get(NAME)).json()).toEqual(before);
    expect((await daemon.get(gadgetsIn('default'))).json().total).toBe(3);
    await daemon.send('DELETE', `${gadgetsIn('default')}/b`);
    expect((await daemon.send('PUT', NAME, { body })).status).toBe(200);
    const again = await daemon.send('POST', gadgetsIn('default'), { body: gadget('d', { size: 7 }) });
    expect(again.status).toBe(409);
  });

  it('is refused with the first ten objects whose values have other types', async () => {
    const daemon = await startOn(temporaryDirectory());
    await define(daemon, codes());
    await createAll(daemon, { good: { code: 1 } });
    await createAll(
      daemon,
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`bad${i}`, { code: `text ${i}` }])),
    );
    const annotation = JSON.stringify([{ field: '.spec.code', type: 'integer' }]);
    const answer = await daemon.send('PUT', NAME, {
      body: codes({ 'xsvc.platform.run/indexes': annotation }),
    });
    expect(answer.status).toBe(422);
    const { causes } = answer.json().details;
    expect(causes).toHaveLength(10);
    expect(causes[0]).toMatchObject({
      field: ANNOTATION,
      message: 'Gadget "default/bad0": spec.code: the value must be integer, got "text 0"',
    });
  });

  it('is refused by the command line on the store as well', async () => {
    const dataDir = temporaryDirectory();
    const file = path.join(temporaryDirectory(), 'files.json');
    const apply = (items: readonly object[]) => {
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      return runProgram(['apply', '-f', file, '--data-dir', dataDir, '--plugins', temporaryDirectory()]);
    };
    const objects = ['a', 'b'].map((name) => gadget(name, { size: 7 }, { namespace: 'default' }));
    expect(await apply([gadgets(), ...objects])).toMatchObject({ code: 0 });
    const refused = await apply([indexed({ field: '.spec.size', type: 'integer', unique: true })]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('spec.size: has "7", which "default/a" has');
    expect(await apply([indexed({ field: '.spec.size', type: 'integer' })])).toMatchObject({ code: 0 });
  });
});

describe('a definition that another process writes', () => {
  it('is in discovery at once', async () => {
    const dataDir = temporaryDirectory();
    const [one, other] = [await startOn(dataDir), await startOn(dataDir)];
    for (const [i, path] of [
      '/apis',
      '/apis/shop0.example.com',
      '/openapi/v3',
      '/openapi/v3/apis/shop0.example.com/v1',
    ].entries()) {
      const group = `shop${i}.example.com`;
      const definition = gadgets((spec) => {
        spec.group = group;
      });
      expect((await define(one, definition)).status).toBe(201);
      const answer = await other.get(path.replace('shop0', `shop${i}`));
      expect([path, answer.status, answer.text.includes(group)]).toEqual([path, 200, true]);
    }
  });

  it('is followed before the next request: a field, a version, an end', async () => {
    const dataDir = temporaryDirectory();
    const [one, other] = [await startOn(dataDir), await startOn(dataDir)];
    await define(one, gadgets());
    for (let round = 0; round < 10; round++) {
      const field = `field${round}`;
      const next = gadgets((spec) => {
        const [first] = spec.versions;
        if (first === undefined) return;
        const schema = structuredClone(first.schema);
        schema.openAPIV3Schema.properties.spec = {
          type: 'object',
          properties: { [field]: { type: 'string' } },
        };
        spec.versions = [
          { ...first, schema },
          { ...first, schema, name: `v2beta${round + 1}`, storage: false },
        ];
      });
      expect((await one.send('PUT', NAME, { body: next })).status).toBe(200);
      const made = await other.send('POST', gadgetsIn('default', `v2beta${round + 1}`), {
        body: {
          ...gadget(`g${round}`, { [field]: 'x' }),
          apiVersion: `shop.example.com/v2beta${round + 1}`,
        },
      });
      expect([round, made.status, made.json().spec]).toEqual([round, 201, { [field]: 'x' }]);
      const read = await one.get(`${gadgetsIn('default')}/g${round}`);
      expect(read.json().spec).toEqual({ [field]: 'x' });
    }
  });
});

describe('the metadata of objects of a definition', () => {
  const unknown = 'unknown field "metadata.version"';

  it('has no version: a stated one is reported, and refused by strict writes', async () => {
    const daemon = await startOn(temporaryDirectory());
    await define(daemon, gadgets());
    const configMap = (name: string, further: object) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ...further },
    });
    for (const [collection, make] of [
      [gadgetsIn('default'), (further: object) => gadget('one', {}, further)],
      ['/api/v1/namespaces/default/configmaps', (further: object) => configMap('one', further)],
    ] as const) {
      const body = make({ version: 3 });
      const strict = await daemon.send('POST', `${collection}?fieldValidation=Strict`, { body });
      expect([strict.status, strict.json().message]).toEqual([400, `strict decoding error: ${unknown}`]);
      const made = await daemon.send('POST', collection, { body });
      expect([made.status, made.headers.warning]).toEqual([201, `299 - "${unknown.replaceAll('"', '\\"')}"`]);
      expect(made.json().metadata).not.toHaveProperty('version');
      const put = await daemon.send('PUT', `${collection}/one`, { body: make({ version: 'x' }) });
      expect([put.status, put.headers.warning]).toEqual([200, made.headers.warning]);
      expect(put.json().metadata).not.toHaveProperty('version');
      // An answer may be sent back, with all that it has.
      const back = await daemon.send('PUT', `${collection}/one?fieldValidation=Strict`, { body: put.json() });
      expect([back.status, back.headers.warning]).toEqual([200, undefined]);
    }
  });

  it('has no namespace in a cluster-scoped kind', async () => {
    const daemon = await startOn(temporaryDirectory());
    await define(
      daemon,
      gadgets((spec) => {
        spec.scope = 'Cluster';
      }),
    );
    const collection = '/apis/shop.example.com/v1/gadgets';
    const made = await daemon.send('POST', collection, { body: gadget('one', {}, { namespace: 'default' }) });
    expect([made.status, made.json().metadata.namespace]).toEqual([201, undefined]);
  });

  it('of the definition itself is checked', async () => {
    const daemon = await startOn(temporaryDirectory());
    const definition = gadgets();
    const metadata = { ...definition.metadata, labels: { good: 'x', bad: '{{ template }}', number: 1 } };
    const answer = await define(daemon, { ...definition, metadata });
    expect([answer.status, answer.json().details.causes.map(({ field }) => field)]).toEqual([
      422,
      ['metadata.labels.number', 'metadata.labels.bad'],
    ]);
  });
});

describe('objects of a kind with several versions', () => {
  const property = (schema: object) => ({ type: 'object', properties: schema });

  /** `v1` is stored; only it has `kept`, and demands `name`. Only `v2` has `other`. */
  function versions() {
    return gadgets((spec) => {
      const [first] = spec.versions;
      if (first === undefined) return;
      const versionOf = (name: string, schema: object) => ({
        ...first,
        name,
        storage: name === 'v1',
        schema: { openAPIV3Schema: { ...first.schema.openAPIV3Schema, properties: { spec: schema } } },
      });
      spec.versions = [
        versionOf('v1', {
          ...property({ name: { type: 'string' }, kept: { type: 'boolean', default: true } }),
          required: ['name'],
        }),
        versionOf('v2', property({ name: { type: 'string' }, other: { type: 'string' } })),
      ];
    });
  }

  it('are validated by the version of the write, and shown with the fields of the version of the read', async () => {
    const daemon = await startOn(temporaryDirectory());
    await define(daemon, versions());
    const body = { ...gadget('one', { other: 'x' }), apiVersion: 'shop.example.com/v2' };
    const made = await daemon.send('POST', gadgetsIn('default', 'v2'), { body });
    expect([made.status, made.json().spec]).toEqual([201, {}]);
    expect((await daemon.get(`${gadgetsIn('default', 'v2')}/one`)).json().spec).toEqual({});
    expect((await daemon.get(`${gadgetsIn('default')}/one`)).json().spec).toEqual({ kept: true });
  });
});

it('a kind may have the plural namespaces, and be in namespaces', async () => {
  const daemon = await startOn(temporaryDirectory());
  await define(
    daemon,
    gadgets((spec) => {
      spec.names = { plural: 'namespaces', kind: 'Namespace' };
    }),
  );
  const collection = '/apis/shop.example.com/v1/namespaces/default/namespaces';
  const body = { ...gadget('one'), kind: 'Namespace' };
  expect((await daemon.send('POST', collection, { body })).status).toBe(201);
  expect((await daemon.get(`${collection}/one`)).json().metadata).toMatchObject({ namespace: 'default' });
  expect((await daemon.get('/apis/shop.example.com/v1/namespaces')).json().total).toBe(1);
});

describe('the size of a definition', () => {
  const wide = (bytes: number) => {
    const fields = Array.from({ length: Math.ceil(bytes / 100) }, (_, i) => [
      `field${i}`,
      { type: 'string', description: 'x'.repeat(48) },
    ]);
    return withSpec({ type: 'object', properties: Object.fromEntries(fields) as object });
  };

  it('is at most 3 MiB', async () => {
    const daemon = await startOn(temporaryDirectory());
    const large = wide(2_900_000);
    expect(JSON.stringify(large).length).toBeGreaterThan(2.5 * 1024 * 1024);
    expect((await define(daemon, large)).status).toBe(201);
    const patch = { metadata: { labels: { a: 'b' } } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await daemon.send('PATCH', NAME, { body: patch, headers })).status).toBe(200);
    expect((await daemon.send('PUT', NAME, { body: wide(3_500_000) })).status).toBe(413);
    const { status } = await daemon.send('POST', gadgetsIn('default'), {
      body: gadget('one', { field7: 'x' }),
    });
    expect(status).toBe(201);
  });

  it('is bounded in depth: a clear refusal for each form of it', async () => {
    const daemon = await startOn(temporaryDirectory());
    const nested = (levels: number) => {
      let schema: object = { type: 'string' };
      for (let i = 0; i < levels; i++) schema = { type: 'object', properties: { a: schema } };
      return withSpec(schema);
    };
    expect((await define(daemon, nested(40))).status).toBe(201);
    for (const body of [JSON.stringify(nested(200)), '{"a":'.repeat(50_000), '['.repeat(1_000_000)]) {
      for (const type of ['application/json', 'application/yaml']) {
        const answer = await daemon.send('POST', DEFINITIONS, { body, headers: { 'content-type': type } });
        expect([answer.status, answer.json().message]).toEqual([
          400,
          expect.stringContaining('nested deeper than 100 levels'),
        ]);
      }
    }
    expect((await daemon.get('/readyz')).status).toBe(200);
  });
});

it('describes the paths and actions that a kube-apiserver describes', async () => {
  const daemon = await startOn(temporaryDirectory());
  await define(daemon, gadgets());
  const actionsOf = async (document: string, wanted: RegExp) => {
    const { paths } = (await daemon.get(document)).json() as unknown as {
      paths: Record<string, Record<string, { 'x-kubernetes-action'?: string }>>;
    };
    return Object.fromEntries(
      Object.entries(paths)
        .filter(([path]) => wanted.test(path) && !path.endsWith('/history'))
        .map(([path, item]) => [
          path,
          Object.values(item).flatMap((operation) => operation['x-kubernetes-action'] ?? []),
        ]),
    );
  };
  // Recorded from a kube-apiserver 1.37.
  const path = '/apis/shop.example.com/v1';
  expect(await actionsOf('/openapi/v3/apis/shop.example.com/v1', /./)).toEqual({
    [`${path}/gadgets`]: ['list'],
    [`${path}/namespaces/{namespace}/gadgets`]: ['list', 'post', 'deletecollection'],
    [`${path}/namespaces/{namespace}/gadgets/{name}`]: ['get', 'put', 'patch', 'delete'],
    [`${path}/namespaces/{namespace}/gadgets/{name}/status`]: ['get', 'put', 'patch'],
  });
  expect(await actionsOf('/openapi/v3/api/v1', /namespaces(?:$|\/\{name\})|configmaps/)).toEqual({
    '/api/v1/namespaces': ['list', 'post'],
    '/api/v1/namespaces/{name}': ['get', 'put', 'patch', 'delete'],
    '/api/v1/namespaces/{name}/status': ['get', 'put', 'patch'],
    '/api/v1/namespaces/{name}/finalize': ['put'],
    '/api/v1/configmaps': ['list'],
    '/api/v1/namespaces/{namespace}/configmaps': ['list', 'post', 'deletecollection'],
    '/api/v1/namespaces/{namespace}/configmaps/{name}': ['get', 'put', 'patch', 'delete'],
  });
});
