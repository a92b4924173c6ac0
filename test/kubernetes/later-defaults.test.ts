import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timed } from '../../src/lib/work/turn.js';
import { killDaemons, runProgram, startDaemonProcess } from '../helpers/daemon.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../helpers/definitions.js';
import type { Json } from '../helpers/http.js';
import { resourceOf, startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { openStream } from '../helpers/watching.js';

const NAME = `${DEFINITIONS}/gadgets.shop.example.com`;
const OBJECTS = gadgetsIn('default');
const OTHERS = gadgetsIn('default', 'v2');
const MERGE = 'application/merge-patch+json';
const COLOUR = { type: 'string' };
const BLUE = { type: 'string', default: 'blue' };

/** Gadgets in two versions; `fields` are those of the stored one. Colours may be selected. */
function withFields(fields: Readonly<Record<string, object>>, annotations = {}) {
  return gadgets((spec) => {
    const [version] = spec.versions;
    if (version === undefined) return;
    version.selectableFields = [{ jsonPath: '.spec.colour' }];
    const properties = (some: object) => ({
      spec: { type: 'object', properties: some },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
    });
    version.schema.openAPIV3Schema.properties = properties(fields);
    const other = { colour: COLOUR, size: { type: 'integer', default: 9 } };
    spec.versions.push({
      name: 'v2',
      served: true,
      storage: false,
      schema: { openAPIV3Schema: { type: 'object', properties: properties(other) } },
    });
  }, annotations);
}

const PLAIN = withFields({ colour: COLOUR, size: { type: 'integer' } });
const LATER = withFields({
  colour: BLUE,
  size: { type: 'integer', default: 1 },
  parts: {
    type: 'array',
    items: { type: 'object', properties: { side: { type: 'string', default: 'left' } } },
  },
});
const SHOWN = { colour: 'blue', size: 1 };

const specsOf = ({ items }: Json) => (items as readonly { spec: unknown }[]).map(({ spec }) => spec);

afterEach(killDaemons);
afterAll(removeDirectories);

describe('a default that a definition gains when objects exist', () => {
  let server: KubernetesServer;

  const replace = async (definition: object, status = 200) => {
    const answer = await server.send('PUT', NAME, { body: definition });
    expect(answer.status, answer.text).toBe(status);
    return answer;
  };
  const get = async (name: string, objects = OBJECTS) => (await server.get(`${objects}/${name}`)).json();
  const patch = (name: string, body: object, type: string) =>
    server.send('PATCH', `${OBJECTS}/${name}`, { body, headers: { 'content-type': type } });
  const table = () => server.service.models.table(resourceOf(server, 'Gadget'));

  beforeEach(async () => {
    server = await startKubernetesServer();
    await define(server, PLAIN);
    await server.post(OBJECTS, gadget('old'));
    await server.post(OBJECTS, gadget('green', { colour: 'green' }));
    return () => server.close();
  });

  it('is not read of an object that would grow beyond the limit of a read', async () => {
    const listOf = (side: object) =>
      withFields({
        colour: COLOUR,
        size: { type: 'integer' },
        parts: { type: 'array', items: { type: 'object', properties: { side } } },
      });
    await replace(listOf({ type: 'string' }));
    await server.post(OBJECTS, gadget('large', { parts: Array.from({ length: 1000 }, () => ({})) }));
    await replace(listOf({ type: 'string', default: 'x'.repeat(100_000) }));
    for (const path of [`${OBJECTS}/large`, OBJECTS]) {
      const answer = await server.get(path);
      expect(answer.status, path).toBe(413);
      expect(answer.json().message).toContain('by the defaults of their schemas');
    }
    expect(await get('old')).toMatchObject({ metadata: { name: 'old' } });
    const written = await patch('large', { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(written.status, written.text).toBe(422);
    expect(written.json().message).toContain('most of it for defaults');
  });

  it('is added to a large object in a turn of its own after other long work', async () => {
    const parts = Array.from({ length: 30_000 }, () => ({}));
    await replace(withFields({ colour: COLOUR, parts: { type: 'array', items: { type: 'object' } } }));
    await server.post(OBJECTS, gadget('large', { parts }));
    await replace(LATER);
    timed(() => {
      const end = performance.now() + 15;
      while (performance.now() < end);
    });
    const read = (name: string) => server.service.getRaw(resourceOf(server, 'Gadget'), `default/${name}`);
    expect(read('old')).not.toBeInstanceOf(Promise);
    const large = read('large');
    expect(large).toBeInstanceOf(Promise);
    expect((await large).json.toString()).toContain('"parts":[{"side":"left"}');
  });

  it('is in the object at once, in each version, without a new revision', async () => {
    const before = await get('old');
    await replace(LATER);
    expect(await get('old')).toEqual({ ...before, spec: SHOWN });
    expect((await get('old', OTHERS)).spec).toEqual(SHOWN);
    expect((await get('green')).spec).toEqual({ colour: 'green', size: 1 });
  });

  it('is in lists, and selectors find it', async () => {
    expect(specsOf((await server.get(OBJECTS)).json())).toEqual([{ colour: 'green' }, {}]);
    await replace(LATER);
    expect(specsOf((await server.get(OBJECTS)).json())).toEqual([{ colour: 'green', size: 1 }, SHOWN]);
    expect(specsOf((await server.get(`${OTHERS}?fieldSelector=spec.colour%3Dblue`)).json())).toEqual([SHOWN]);
    expect((await server.get(`${OBJECTS}?filter=spec.colour%3D%3D"blue"&limit=1`)).json().total).toBe(1);
  });

  it('is in the first events of a watch and in those of later changes', async () => {
    await replace(LATER);
    const { resourceVersion } = await get('old').then(({ metadata }) => metadata as Json);
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const stream = await openStream(`${server.url}${OBJECTS}?${query}`);
    // Two objects and a bookmark.
    await stream.take(3);
    await patch('old', { metadata: { labels: { seen: 'yes' } } }, MERGE);
    const events = (await stream.take(4)).filter(({ object }) => object.metadata.name === 'old');
    stream.destroy();
    expect(events.map(({ object }) => object.spec)).toEqual([SHOWN, SHOWN]);
    expect(events[0]?.object.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('belongs to nobody, and a write of other fields does not count as a change of the spec', async () => {
    await replace(LATER);
    const before = await get('old');
    const same = await server.send('PUT', `${OBJECTS}/old`, { body: before });
    expect(same.json()).toEqual(before);
    const patched = await patch('old?fieldManager=someone', { metadata: { labels: { seen: 'yes' } } }, MERGE);
    const { metadata, spec } = patched.json() as unknown as {
      metadata: { generation: number; managedFields: readonly Json[] };
      spec: unknown;
    };
    expect(spec).toEqual(SHOWN);
    expect(metadata.generation).toBe(1);
    expect(JSON.stringify(metadata.managedFields)).not.toContain('f:colour');
    const applied = await patch(
      'old?fieldManager=applier',
      gadget('old', { colour: 'red' }),
      'application/apply-patch+yaml',
    );
    expect(applied.status, applied.text).toBe(200);
    expect(applied.json().spec).toEqual({ colour: 'red', size: 1 });
  });

  it('is not owned by managers that apply in another version', async () => {
    const apply = (version: 'v1' | 'v2', spec: object) =>
      server.send('PATCH', `${gadgetsIn('default', version)}/old?fieldManager=${version}&force=true`, {
        body: { ...gadget('old', spec), apiVersion: `shop.example.com/${version}` },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    await apply('v2', { colour: 'red' });
    await replace(LATER);
    for (const [version, spec] of [
      ['v2', { colour: 'green' }],
      ['v1', { colour: 'green' }],
      ['v2', {}],
    ] as const)
      expect((await apply(version, spec)).status).toBe(200);
    const { metadata, spec } = (await get('old')) as unknown as {
      metadata: { managedFields: readonly { manager: string; fieldsV1: unknown }[] };
      spec: unknown;
    };
    // The first apply stored the default of its version.
    expect(spec).toEqual({ colour: 'green', size: 9 });
    const owned = metadata.managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
    expect(Object.fromEntries(owned)).toMatchObject({ v1: { 'f:spec': { 'f:colour': {} } } });
    expect(JSON.stringify(owned)).not.toContain('f:size');
  });

  it('changes the entity tag, so that a client with the earlier answer gets the new one', async () => {
    const tagOf = async (headers = {}) => {
      const answer = await server.get(`${OBJECTS}/old`, headers);
      return { status: answer.status, tag: answer.headers.etag ?? '' };
    };
    const { tag: before } = await tagOf();
    await replace(LATER);
    const { status, tag } = await tagOf({ 'if-none-match': before });
    expect(status).toBe(200);
    expect((await tagOf({ 'if-none-match': tag })).status).toBe(304);
    const same = await server.send('PUT', `${OBJECTS}/old`, {
      body: await get('old'),
      headers: { 'if-match': tag },
    });
    expect(same.headers.etag).toBe(tag);
  });

  it('is stored in the background, after which objects are shown as they are stored', async () => {
    await replace(LATER);
    const before = await get('old');
    expect(table().isMixed).toBe(true);
    expect(server.service.models.lifecycle.mixedTables()).toHaveLength(1);
    const { objects, left } = await server.service.models.lifecycle.rewrite(table());
    expect({ objects, left }).toEqual({ objects: 2, left: 0 });
    expect(table().isMixed).toBe(false);
    expect(await get('old')).toEqual(before);
    expect((await server.get(`${OBJECTS}?fieldSelector=spec.colour%3Dblue`)).json().items).toHaveLength(1);
  });

  it('is gone again with the default, when nothing has stored it yet', async () => {
    const outdated = table();
    await replace(LATER);
    const lacking = table();
    await replace(PLAIN);
    expect((await get('old')).spec).toEqual({});
    // Work of before the change stores nothing.
    for (const one of [outdated, lacking]) await server.service.models.lifecycle.rewrite(one);
    expect((await get('old')).spec).toEqual({});
    expect((await server.get(`${OBJECTS}?fieldSelector=spec.colour%3Dblue`)).json().items).toEqual([]);
  });

  it('is no later change that hinders an undo', async () => {
    const changed = await patch('old', { spec: { colour: 'red' } }, MERGE);
    const { resourceVersion } = changed.json().metadata;
    await replace(LATER);
    // A write of the status stores the default as well.
    expect((await patch('old/status', { status: { ready: true } }, MERGE)).status).toBe(200);
    await server.service.undoCommit(String(resourceVersion), {});
    const { spec, status } = await get('old');
    expect({ spec, status }).toEqual({ spec: SHOWN, status: { ready: true } });
  });

  it('is refused where it must be unique, and two objects would share it', async () => {
    await server.post(OBJECTS, gadget('other'));
    const annotations = {
      'xsvc.platform.run/indexes': JSON.stringify([{ field: '.spec.colour', type: 'string', unique: true }]),
    };
    const fields = { colour: BLUE, size: { type: 'integer' } };
    const { details } = (await replace(withFields(fields, annotations), 422)).json() as unknown as {
      details: { causes: readonly { message: string }[] };
    };
    expect(details.causes[0]?.message).toContain('has "blue", which "default/old" has');
    expect((await get('old')).spec).toEqual({});
  });

  it('does not concern a definition whose defaults stay', async () => {
    await replace(LATER);
    await server.service.models.lifecycle.rewrite(table());
    await replace(withFields({ ...fieldsOf(LATER), further: { type: 'string' } }));
    expect(table().isMixed).toBe(false);
  });
});

/** The fields of the stored version. */
function fieldsOf({ spec: { versions } }: ReturnType<typeof gadgets>): Record<string, object> {
  const { spec } = versions[0]?.schema.openAPIV3Schema.properties ?? {};
  return (spec as { properties: Record<string, object> }).properties;
}

describe('a default that a definition gains on a store without a service', () => {
  it('is read by commands, and by the service that is started then', async () => {
    const dataDir = temporaryDirectory();
    const plugins = temporaryDirectory();
    const file = path.join(temporaryDirectory(), 'files.json');
    const run = (...args: readonly string[]) =>
      runProgram([...args, '--data-dir', dataDir, '--plugins', plugins]);
    const apply = async (...items: readonly object[]) => {
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      expect(await run('apply', '-f', file)).toMatchObject({ code: 0 });
    };
    await apply(PLAIN, gadget('old', {}, { namespace: 'default' }));
    await apply(LATER);
    const { stdout } = await run('get', 'gadgets', 'old', '-n', 'default', '-o', 'json');
    expect((JSON.parse(stdout) as Json).spec).toEqual(SHOWN);
    expect(await run('check')).toMatchObject({ code: 0 });
    const daemon = await startDaemonProcess({ dataDir, plugins: [plugins] });
    expect((await daemon.get(`${OBJECTS}/old`)).json().spec).toEqual(SHOWN);
  });
});
