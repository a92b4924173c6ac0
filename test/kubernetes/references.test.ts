import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { define, gadget, gadgets, gadgetsIn, DEFINITIONS, type Spec } from '../helpers/definitions.js';
import type { HttpAnswer, Json } from '../helpers/http.js';
import { startKubernetesServer, waitFor, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories, disagreements } from '../helpers/store.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const GROUP = 'shop.example.com';
const PLANS = '/apis/shop.example.com/v1/plans';
const partsIn = (namespace: string): string => `/apis/shop.example.com/v1/namespaces/${namespace}/parts`;
const mapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

const PART = { group: GROUP, version: 'v1', kind: 'Part', plural: 'parts', scope: 'Namespaced' } as const;
/** More than a commit may delete with an object. */
const MANY = 1_100;

let server: KubernetesServer;

beforeEach(async () => {
  server = await startKubernetesServer();
  for (const name of ['one', 'two']) await server.post('/api/v1/namespaces', { metadata: { name } });
});
afterEach(async () => {
  expect(await disagreements(server.service.store)).toEqual([]);
  await server.close();
});
afterAll(removeDirectories);

const to = (group: string, kind: string, onDelete = 'restrict') => ({ group, kind, onDelete });
const text = (reference: object) => ({ type: 'string', 'x-xsvc-reference': reference });

const FIELDS = {
  gadget: text(to(GROUP, 'Gadget')),
  with: text(to(GROUP, 'Gadget', 'cascade')),
  maps: { type: 'array', items: { type: 'string' }, 'x-xsvc-reference': to('', 'ConfigMap', 'clear') },
  plan: text(to(GROUP, 'Plan')),
};

/** A definition with these fields. */
function kind(plural: string, name: string, fields: object, scope = 'Namespaced', annotations = {}): object {
  return gadgets((spec: Spec) => {
    spec.scope = scope;
    spec.names = { plural, kind: name };
    const [version] = spec.versions;
    if (version !== undefined)
      version.schema.openAPIV3Schema.properties.spec = { type: 'object', properties: { ...fields } };
  }, annotations);
}

async function defineAll(): Promise<void> {
  for (const one of [gadgets(), kind('parts', 'Part', FIELDS), kind('plans', 'Plan', FIELDS, 'Cluster')])
    expect((await define(server, one)).status).toBe(201);
}

const part = (name: string, spec: object) => ({ ...gadget(name, spec), kind: 'Part' });
const plan = (name: string, spec: object) => ({ ...gadget(name, spec), kind: 'Plan' });

function causes(answer: HttpAnswer): readonly string[] {
  return answer.json().details.causes.map(({ field, message }) => `${field}: ${message}`);
}

async function namesAt(target: string): Promise<readonly unknown[]> {
  return (await server.get(target)).json().items.map(({ metadata }: Json) => metadata.name);
}

const remove = (target: string) => server.send('DELETE', target);

async function makeTargets(name: string): Promise<void> {
  for (const namespace of ['one', 'two']) {
    await server.post(gadgetsIn(namespace), gadget(name));
    await server.post(mapsIn(namespace), { metadata: { name } });
  }
}

describe('a reference between kinds in namespaces', () => {
  it('means the object of the name in the same namespace', async () => {
    await defineAll();
    await server.post(gadgetsIn('one'), gadget('main'));
    await server.post(partsIn('one'), part('a', { gadget: 'main' }));
    const refused = await server.send('POST', partsIn('two'), {
      body: part('a', { gadget: 'main', maps: ['x'], with: 'one/main' }),
    });
    expect(refused.status).toBe(422);
    expect(causes(refused)).toEqual([
      'spec.gadget: Gadget "main" not found',
      'spec.with: Gadget "one/main" not found',
      'spec.maps[0]: ConfigMap "x" not found',
    ]);
  });

  it('is followed to objects of the namespace, which are included by their full names', async () => {
    await defineAll();
    await makeTargets('main');
    await server.post(PLANS, plan('all', { gadget: 'two/main', plan: 'all' }));
    for (const namespace of ['one', 'two'])
      await server.post(partsIn(namespace), part('a', { gadget: 'main', maps: ['main'], plan: 'all' }));
    const expand = 'expand=spec.gadget,spec.maps,spec.plan-%3Espec.gadget';
    const one = (await server.get(`${partsIn('one')}/a?${expand}`)).json();
    const at = async (path: string) => (await server.get(path)).json();
    const two = await at(`${gadgetsIn('two')}/main`);
    expect(one.included).toEqual({
      [`gadgets.${GROUP}`]: { 'one/main': await at(`${gadgetsIn('one')}/main`), 'two/main': two },
      configmaps: { 'one/main': await at(`${mapsIn('one')}/main`) },
      [`plans.${GROUP}`]: { all: await at(`${PLANS}/all`) },
    });
    const everywhere = (await server.get(`/apis/${GROUP}/v1/parts?expand=spec.maps`)).json();
    expect(Object.keys((everywhere.included as { configmaps: object }).configmaps)).toEqual([
      'one/main',
      'two/main',
    ]);
    const plans = (await server.get(`${PLANS}?expand=spec.gadget`)).json();
    expect(plans.included).toEqual({ [`gadgets.${GROUP}`]: { 'two/main': two } });
  });

  it('is refused together with other faults of the object', async () => {
    await defineAll();
    await server.post(gadgetsIn('one'), gadget('main'));
    const refused = await server.send('POST', partsIn('two'), {
      body: part('a', { gadget: 'main', with: 3 }),
    });
    expect(causes(refused)).toEqual([
      'spec.with: must be a string, got 3',
      'spec.gadget: Gadget "main" not found',
    ]);
  });

  it('keeps an object that others of its namespace refer to, and no other', async () => {
    await defineAll();
    await makeTargets('main');
    await server.post(partsIn('one'), part('a', { gadget: 'main' }));
    const refused = await remove(`${gadgetsIn('one')}/main`);
    expect(refused.status).toBe(409);
    expect(refused.json().message).toContain('Gadget "one/main" cannot be deleted: 1 object refers to it');
    expect(causes(refused)[0]).toContain('Part "one/a"');
    expect((await remove(`${gadgetsIn('two')}/main`)).status).toBe(200);
    await remove(`${partsIn('one')}/a`);
    expect((await remove(`${gadgetsIn('one')}/main`)).status).toBe(200);
  });

  it('deletes and clears the objects of the namespace alone', async () => {
    await defineAll();
    await makeTargets('main');
    await server.post(mapsIn('one'), { metadata: { name: 'other' } });
    for (const namespace of ['one', 'two']) {
      await server.post(partsIn(namespace), part('goes', { with: 'main' }));
      const maps = namespace === 'one' ? ['main', 'other'] : ['main'];
      await server.post(partsIn(namespace), part('stays', { maps }));
    }
    await remove(`${gadgetsIn('one')}/main`);
    await remove(`${mapsIn('one')}/main`);
    expect(await namesAt(partsIn('one'))).toEqual(['stays']);
    expect((await server.get(`${partsIn('one')}/stays`)).json().spec).toEqual({ maps: ['other'] });
    expect(await namesAt(partsIn('two'))).toEqual(['goes', 'stays']);
    expect((await server.get(`${partsIn('two')}/stays`)).json().spec).toEqual({ maps: ['main'] });
  });

  it('deletes more objects of the namespace than a commit may, and leaves those of others', async () => {
    await defineAll();
    await makeTargets('main');
    const create = (namespace: string, count: number) =>
      server.service.batch(
        Array.from({ length: count }, (_, i) => ({
          verb: 'create' as const,
          resource: PART,
          object: { metadata: { namespace, name: `p${i}` }, spec: { with: 'main' } },
        })),
      );
    await create('one', 1);
    await create('two', MANY);
    // The many of the other namespace do not make it large.
    const { metadata } = (await remove(`${gadgetsIn('one')}/main`)).json();
    expect(metadata).not.toHaveProperty('finalizers');
    expect([
      await server.service.count(PART, { namespace: 'one' }),
      await server.service.count(PART),
    ]).toEqual([0, MANY]);
    await server.post(gadgetsIn('one'), gadget('main'));
    await create('one', 1);
    expect((await remove(`${gadgetsIn('two')}/main`)).status).toBe(200);
    expect(await server.service.finishCascades()).toEqual([]);
    expect(await namesAt(gadgetsIn('two'))).toEqual([]);
    expect(await server.service.listNames(PART)).toEqual(['one/p0']);
  });

  it('is a selectable field, and its referrers can be asked for', async () => {
    await defineAll();
    await makeTargets('main');
    for (const namespace of ['one', 'two'])
      await server.post(partsIn(namespace), part('a', { gadget: 'main' }));
    expect(await namesAt(`/apis/${GROUP}/v1/parts?fieldSelector=spec.gadget%3Dmain`)).toEqual(['a', 'a']);
    const { items } = await server.service.referrers(
      { group: GROUP, version: 'v1', kind: 'Gadget', plural: 'gadgets', scope: 'Namespaced' },
      'one/main',
    );
    expect(
      items.filter(({ total }) => total > 0).map(({ field, total, names }) => [field, total, names]),
    ).toEqual([['spec.gadget', 1, ['one/a']]]);
  });

  it('ends with its namespace, in whatever order the objects refer to each other', async () => {
    await defineAll();
    await makeTargets('main');
    await server.post(partsIn('one'), part('a', { gadget: 'main', maps: ['main'] }));
    await remove('/api/v1/namespaces/one');
    await waitFor(
      () => server.get('/api/v1/namespaces/one'),
      ({ status }) => status === 404,
    );
    expect(await namesAt(gadgetsIn('two'))).toEqual(['main']);
  });
});

describe('a reference of an object without a namespace', () => {
  it('means the object of a full name', async () => {
    await defineAll();
    await makeTargets('main');
    const refused = await server.send('POST', PLANS, { body: plan('p', { gadget: 'main' }) });
    expect(causes(refused)).toEqual(['spec.gadget: Gadget "main" not found: write it as <namespace>/<name>']);
    await server.post(PLANS, plan('p', { gadget: 'one/main', maps: ['one/main', 'two/main'] }));
    expect((await remove(`${gadgetsIn('one')}/main`)).status).toBe(409);
    expect((await remove(`${gadgetsIn('two')}/main`)).status).toBe(200);
    await remove(`${mapsIn('two')}/main`);
    expect((await server.get(`${PLANS}/p`)).json().spec).toEqual({ gadget: 'one/main', maps: ['one/main'] });
  });
});

describe('a reference to a kind without namespaces', () => {
  it('means its one object of the name, for all namespaces', async () => {
    await defineAll();
    await server.post(PLANS, plan('whole', {}));
    for (const namespace of ['one', 'two'])
      await server.post(partsIn(namespace), part('a', { plan: 'whole' }));
    const refused = await remove(`${PLANS}/whole`);
    expect(refused.json().message).toContain('2 objects refer to it');
    expect(causes(refused).map((cause) => cause.slice(0, 30))).toEqual([
      'metadata.name: Part "one/a" (p',
      'metadata.name: Part "two/a" (p',
    ]);
  });
});

describe('a definition', () => {
  it('with a reference that has no meaning is refused, with each reason', async () => {
    const wrong = kind(
      'parts',
      'Part',
      {
        number: { type: 'integer', 'x-xsvc-reference': to(GROUP, 'Gadget') },
        policy: text(to(GROUP, 'Gadget', 'ignore')),
        byName: { type: 'object', additionalProperties: text(to(GROUP, 'Gadget')) },
      },
      'Namespaced',
    );
    const refused = await define(server, wrong);
    expect(refused.status).toBe(422);
    expect(causes(refused).map((cause) => cause.replace(/^\S+ /, ''))).toEqual([
      expect.stringContaining('spec.number: a reference must be of type string'),
      expect.stringContaining('spec.policy: unknown onDelete "ignore"'),
      expect.stringContaining('spec.byName: a reference cannot be below additionalProperties'),
    ]);
    const indexes = JSON.stringify([{ field: '.spec.gadget', type: 'string', multi: true }]);
    const annotations = { 'xsvc.platform.run/indexes': indexes };
    const other = await define(server, kind('parts', 'Part', FIELDS, 'Namespaced', annotations));
    expect(causes(other)[0]).toContain('spec.gadget: its index in the annotation');
  });

  it('gets a reference later: values without a target stay until they are changed', async () => {
    const without = kind('parts', 'Part', { gadget: { type: 'string' }, size: { type: 'integer' } });
    for (const one of [gadgets(), without]) await define(server, one);
    await server.post(partsIn('one'), part('a', { gadget: 'nothing' }));
    const body = kind('parts', 'Part', { gadget: FIELDS.gadget, size: { type: 'integer' } });
    const name = `${DEFINITIONS}/parts.${GROUP}`;
    const { resourceVersion } = (await server.get(name)).json().metadata;
    const { metadata } = body as { metadata: object };
    const put = await server.send('PUT', name, {
      body: { ...body, metadata: { ...metadata, resourceVersion } },
    });
    expect(put.status).toBe(200);
    const patch = (spec: object) =>
      server.send('PATCH', `${partsIn('one')}/a`, { body: { spec }, headers: MERGE });
    expect((await patch({ size: 1 })).status).toBe(200);
    expect((await patch({ gadget: 'other' })).status).toBe(422);
    await server.post(gadgetsIn('one'), gadget('other'));
    expect((await patch({ gadget: 'other' })).status).toBe(200);
    expect((await remove(`${gadgetsIn('one')}/other`)).status).toBe(409);
  });

  it('waits for the objects that refer to its own, says so, and hinders no other one', async () => {
    await defineAll();
    await makeTargets('main');
    await server.post(partsIn('one'), part('a', { gadget: 'main' }));
    await remove(`${DEFINITIONS}/gadgets.${GROUP}`);
    const held = await waitFor(
      () => server.get(`${DEFINITIONS}/gadgets.${GROUP}`),
      ({ text: body }) => body.includes('InstanceDeletionFailed'),
    );
    expect(held.text).toContain('1 object refers to it');
    await waitFor(
      () => namesAt(gadgetsIn('two')),
      (names) => names.length === 0,
    );
    await remove(`${DEFINITIONS}/parts.${GROUP}`);
    for (const plural of ['parts', 'gadgets'])
      await waitFor(
        () => server.get(`${DEFINITIONS}/${plural}.${GROUP}`),
        ({ status }) => status === 404,
      );
  }, 20_000);
});

describe('a unique index of a kind in namespaces', () => {
  const unique = JSON.stringify([{ field: '.spec.colour', type: 'string', unique: true }]);

  it('holds within each namespace', async () => {
    await define(server, gadgets(undefined, { 'xsvc.platform.run/indexes': unique }));
    for (const namespace of ['one', 'two'])
      await server.post(gadgetsIn(namespace), gadget('a', { colour: 'red' }));
    const taken = await server.send('POST', gadgetsIn('two'), { body: gadget('b', { colour: 'red' }) });
    expect([taken.status, taken.json().message]).toEqual([
      409,
      expect.stringContaining('"red" is already used by Gadget "two/a"'),
    ]);
    await remove(`${gadgetsIn('two')}/a`);
    expect(
      (await server.send('POST', gadgetsIn('two'), { body: gadget('b', { colour: 'red' }) })).status,
    ).toBe(201);
  });

  it('may be added where objects of different namespaces share a value', async () => {
    await define(server, gadgets());
    await server.post(gadgetsIn('one'), gadget('a', { colour: 'red' }));
    await server.post(gadgetsIn('two'), gadget('a', { colour: 'red' }));
    const patch = {
      metadata: { annotations: { 'xsvc.platform.run/indexes': unique } },
      spec: { names: { shortNames: [] } },
    };
    const changed = await server.send('PATCH', `${DEFINITIONS}/gadgets.${GROUP}`, {
      body: patch,
      headers: MERGE,
    });
    expect(changed.status).toBe(200);
    const taken = await server.send('POST', gadgetsIn('one'), { body: gadget('b', { colour: 'red' }) });
    expect(taken.status).toBe(409);
  });
});

describe('a filter on the targets of references between kinds in namespaces', () => {
  it('means the target in the namespace of each object', async () => {
    await defineAll();
    for (const namespace of ['one', 'two']) {
      const labels = { color: namespace === 'one' ? 'red' : 'blue' };
      await server.post(gadgetsIn(namespace), { ...gadget('main'), metadata: { name: 'main', labels } });
      await server.post(mapsIn(namespace), { metadata: { name: 'settings', labels } });
      await server.post(partsIn(namespace), part(`of-${namespace}`, { gadget: 'main', maps: ['settings'] }));
    }
    await server.post(PLANS, plan('all', { gadget: 'one/main', maps: ['two/settings'] }));
    const find = (at: string, filter: string) => namesAt(`${at}?filter=${encodeURIComponent(filter)}`);
    const red = (field: string): string => `ref(${field}).metadata.labels["color"] == "red"`;
    const everywhere = '/apis/shop.example.com/v1/parts';
    for (const field of ['spec.gadget', 'spec.maps']) {
      expect(await find(everywhere, red(field))).toEqual(['of-one']);
      expect(await find(everywhere, `!(${red(field)})`)).toEqual(['of-two']);
      expect(await find(partsIn('two'), red(field))).toEqual([]);
      expect(await find(partsIn('one'), red(field))).toEqual(['of-one']);
    }
    expect(await find(PLANS, red('spec.gadget'))).toEqual(['all']);
    expect(await find(PLANS, red('spec.maps'))).toEqual([]);
    expect(await find(everywhere, 'ref(spec.gadget).metadata.namespace == "two"')).toEqual(['of-two']);
  });
});
