import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import {
  conditionsOf,
  define,
  DEFINITIONS,
  gadget,
  gadgets,
  gadgetsIn,
  type Spec,
} from '../helpers/definitions.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const NAME = `${DEFINITIONS}/gadgets.shop.example.com`;

let daemon: DaemonProcess;
afterEach(killDaemons);
afterAll(removeDirectories);

async function start(dataDir = temporaryDirectory()): Promise<string> {
  daemon = await startDaemonProcess({ dataDir, plugins: [temporaryDirectory()] });
  return dataDir;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('it did not come to pass');
}

const create = (name: string, spec?: object, further?: object, namespace = 'default') =>
  daemon.send('POST', gadgetsIn(namespace), { body: gadget(name, spec, further) });

describe('a definition', () => {
  it('is stored once, with its conditions, and its kind is served when the answer arrives', async () => {
    await start();
    const answer = await define(daemon, gadgets());
    expect(answer.status).toBe(201);
    expect(conditionsOf(answer.json())).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
    expect(answer.json().status).toMatchObject({
      storedVersions: ['v1'],
      acceptedNames: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    });
    expect(answer.json().metadata.generation).toBe(1);
    const made = await create('one', { colour: 'red', unknown: 1 });
    expect(made.status).toBe(201);
    expect(made.json().spec).toEqual({ size: 1, colour: 'red' });
    expect(made.headers.warning).toContain('unknown field');
    expect(made.json().metadata).not.toHaveProperty('version');
    expect(made.json().metadata.creationTimestamp).toMatch(/:\d\dZ$/);
    // Recorded from a kube-apiserver: a group of Kubernetes has one more condition.
    for (const [approval, condition] of [
      ['https://example.com/1', 'True ApprovedAnnotation'],
      ['unapproved, for a test', 'False UnapprovedAnnotation'],
    ] as const) {
      const change = (spec: Spec) => (spec.group = `${condition.slice(0, 1).toLowerCase()}.k8s.io`);
      const approved = await define(daemon, gadgets(change, { 'api-approved.kubernetes.io': approval }));
      expect(conditionsOf(approved.json())).toContain(`KubernetesAPIApprovalPolicyConformant=${condition}`);
    }
  });

  it('decides who writes the status', async () => {
    await start();
    await define(daemon, gadgets());
    const made = await daemon.send('POST', gadgetsIn('default'), {
      body: { ...gadget('one'), status: { ready: true } },
    });
    expect(made.json()).not.toHaveProperty('status');
    const path = `${gadgetsIn('default')}/one`;
    const status = await daemon.send('PATCH', `${path}/status`, {
      body: { status: { ready: true }, spec: { size: 9 } },
      headers: MERGE,
    });
    expect(status.json()).toMatchObject({
      spec: { size: 1 },
      status: { ready: true },
      metadata: { generation: 1 },
    });
    const put = await daemon.send('PUT', path, { body: gadget('one', { size: 2 }) });
    expect(put.json()).toMatchObject({
      spec: { size: 2 },
      status: { ready: true },
      metadata: { generation: 2 },
    });

    await define(
      daemon,
      gadgets((spec) => {
        spec.names = { plural: 'things', kind: 'Thing' };
        for (const version of spec.versions) delete version.subresources;
      }),
    );
    const things = gadgetsIn('default').replace('gadgets', 'things');
    const body = { ...gadget('one'), kind: 'Thing', status: { ready: true } };
    expect((await daemon.send('POST', things, { body })).json().status).toEqual({ ready: true });
    expect((await daemon.get(`${things}/one/status`)).status).toBe(404);
    const changed = await daemon.send('PATCH', `${things}/one`, {
      body: { status: { ready: false } },
      headers: MERGE,
    });
    expect(changed.json().metadata.generation).toBe(2);
  });

  it('with faults is refused with all of them, and nothing is served', async () => {
    await start();
    const wrong = gadgets((spec) => {
      spec.scope = 'Everywhere';
      spec.versions[0] = { ...required(spec), storage: false, name: 'V 1' };
    });
    const answer = await define(daemon, wrong);
    expect(answer.status).toBe(422);
    expect(answer.json().details.causes.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['spec.scope', 'spec.versions[0].name']),
    );
    expect((await daemon.get(DEFINITIONS)).json().items).toEqual([]);
    expect((await daemon.get('/apis/shop.example.com/v1')).status).toBe(404);
  });

  it('has indexes of its selectable fields and of its annotation', async () => {
    await start();
    const indexes = JSON.stringify([{ field: '.spec.size', type: 'long' }]);
    const definition = gadgets(
      (spec) => {
        required(spec).selectableFields = [{ jsonPath: '.spec.colour' }];
      },
      { 'xsvc.platform.run/indexes': indexes },
    );
    expect((await define(daemon, definition)).status).toBe(201);
    for (const [name, size, colour] of [
      ['a', 3, 'red'],
      ['b', 10, 'red'],
      ['c', 5, 'blue'],
    ] as const)
      await create(name, { size, colour });
    const page = (
      await daemon.get(
        `${gadgetsIn('default')}?fieldSelector=spec.colour=red&sort=spec.size,desc&facets=spec.colour&aggregates=max(spec.size)&groupBy=spec.colour`,
      )
    ).json();
    expect(page.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
    expect(page.facets).toEqual({ 'spec.colour': [{ value: 'red', count: 2 }] });
    expect(page.groups).toEqual([{ key: { 'spec.colour': 'red' }, count: 2, 'max(spec.size)': 10 }]);
    const filter = encodeURIComponent('spec.size > 4');
    expect((await daemon.get(`${gadgetsIn('default')}?filter=${filter}`)).json().total).toBe(2);
  });

  it('with indexes that cannot be read is refused', async () => {
    await start();
    for (const text of [
      'no JSON',
      '{}',
      '[1]',
      '[{"field":"spec.a","type":"long"}]',
      '[{"field":".a","type":"x"}]',
      ...['.', '. ', '.spec', '.metadata', '.spec..size', '.spec.size ', '.spec.part'].map((field) =>
        JSON.stringify([{ field, type: 'string' }]),
      ),
    ]) {
      const withPart = gadgets(
        (spec) => {
          const { spec: ofSpec } = required(spec).schema.openAPIV3Schema.properties;
          Object.assign((ofSpec as { properties: object }).properties, { part: { type: 'object' } });
        },
        { 'xsvc.platform.run/indexes': text },
      );
      const answer = await define(daemon, withPart);
      expect([text, answer.status]).toEqual([text, 422]);
      const [cause] = answer.json().details.causes;
      expect(cause?.field).toBe('metadata.annotations[xsvc.platform.run/indexes]');
      const [, wrong = ''] = /"field":("[^"]*"),"type":"string"/.exec(text) ?? [];
      expect(cause?.message).toContain(wrong);
    }
  });

  it.each(['.', '. '])('with the path "%s" of a column is refused', async (jsonPath) => {
    await start();
    const columns = gadgets((spec) =>
      Object.assign(required(spec), { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath }] }),
    );
    const answer = await define(daemon, columns);
    expect([answer.status, answer.json().details.causes[0]?.field]).toEqual([
      422,
      'spec.versions[0].additionalPrinterColumns[0].jsonPath',
    ]);
  });

  it('declares a text index by an annotation, also when objects are there already', async () => {
    await start();
    await define(daemon, gadgets());
    await create('one', { colour: 'Dark Red', size: 7 });
    await create('two', { colour: 'dark blue' });
    const found = async (search: string, namespace = 'default'): Promise<unknown> => {
      const answer = await daemon.get(`${gadgetsIn(namespace)}?search=${encodeURIComponent(search)}`);
      return answer.status === 200 ? answer.json().items.map(({ metadata }) => metadata.name) : answer.status;
    };
    expect(await found('red')).toBe(400);
    const patch = (paths: string | null) =>
      daemon.send('PATCH', NAME, {
        body: { metadata: { annotations: { 'xsvc.platform.run/search': paths } } },
        headers: MERGE,
      });
    expect((await patch('.spec.colour')).status).toBe(200);
    await until(async () => Array.isArray(await found('dark')));
    expect([await found('dark'), await found('red da'), await found('7')]).toEqual([
      ['one', 'two'],
      ['one'],
      [],
    ]);
    await daemon.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'other' } } });
    await create('three', { colour: 'red' }, {}, 'other');
    expect([await found('red'), await found('red', 'other')]).toEqual([['one'], ['three']]);
    expect((await patch('.spec.colour, .spec.size')).status).toBe(200);
    await until(async () => JSON.stringify(await found('7')) === '["one"]');
    expect((await patch(null)).status).toBe(200);
    await until(async () => (await found('7')) === 400);
  });

  it('with a text index that cannot be read is refused', async () => {
    await start();
    for (const text of ['', '.', 'spec.title', '.spec.title,', '.spec[', '.spec.title .spec.body']) {
      const answer = await define(daemon, gadgets(undefined, { 'xsvc.platform.run/search': text }));
      expect([text, answer.status]).toEqual([text, 422]);
      expect(answer.json().details.causes[0]?.field).toBe('metadata.annotations[xsvc.platform.run/search]');
    }
  });

  it('that changes is followed: fields, columns and versions', async () => {
    await start();
    await define(daemon, gadgets());
    await create('one', { size: 2 });
    const next = gadgets((spec) => {
      spec.versions[0] = { ...required(spec), storage: false };
      const { schema } = required(spec);
      const wider = structuredClone(schema);
      Object.assign(wider.openAPIV3Schema.properties, {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer' }, weight: { type: 'number', default: 7 } },
        },
      });
      spec.versions.push({ ...required(spec), name: 'v2', storage: true, schema: wider });
    });
    expect((await daemon.send('PUT', NAME, { body: next })).json().status).toMatchObject({
      storedVersions: ['v1', 'v2'],
    });
    expect((await daemon.get(`${gadgetsIn('default', 'v2')}/one`)).json()).toMatchObject({
      apiVersion: 'shop.example.com/v2',
      spec: { size: 2 },
    });
    const body = { ...gadget('two'), apiVersion: 'shop.example.com/v2' };
    const made = await daemon.send('POST', gadgetsIn('default', 'v2'), { body });
    expect(made.json().spec).toEqual({ weight: 7 });
    expect((await daemon.get('/apis/shop.example.com')).json()).toMatchObject({
      preferredVersion: { version: 'v2' },
    });
  });

  it('is preferred in its highest stable version, wherever objects are stored', async () => {
    await start();
    const several = gadgets((spec) => {
      for (const name of ['v2beta1', 'v2']) spec.versions.push({ ...required(spec), name, storage: false });
    });
    await define(daemon, several);
    const { versions, preferredVersion } = (await daemon.get('/apis/shop.example.com')).json();
    expect(preferredVersion).toMatchObject({ version: 'v2' });
    expect(versions).toMatchObject([{ version: 'v2' }, { version: 'v1' }, { version: 'v2beta1' }]);
  });

  it('is served after a restart, and after a kill', async () => {
    const dataDir = await start();
    await define(daemon, gadgets());
    await create('one');
    daemon.signal('SIGKILL');
    await daemon.exited;
    await start(dataDir);
    expect((await daemon.get(`${gadgetsIn('default')}/one`)).status).toBe(200);
    expect((await create('two', { size: -1 })).status).toBe(422);
    expect((await create('two')).status).toBe(201);
    expect((await daemon.stop()).code).toBe(0);
  });

  it('whose names another kind has is stored, and not served until they are free', async () => {
    await start();
    await define(daemon, gadgets());
    const other = await define(
      daemon,
      gadgets((spec) => {
        spec.names = { plural: 'others', kind: 'Gadget' };
      }),
    );
    expect(other.status).toBe(201);
    expect(conditionsOf(other.json())).toEqual([
      'NamesAccepted=False ListKindConflict',
      'Established=False NotAccepted',
    ]);
    expect((await daemon.get(gadgetsIn('default').replace('gadgets', 'others'))).status).toBe(404);
    await daemon.send('DELETE', NAME);
    const path = `${DEFINITIONS}/others.shop.example.com`;
    await until(
      async () =>
        conditionsOf((await daemon.get(path)).json())[1] === 'Established=True InitialNamesAccepted',
    );
    expect((await daemon.get(gadgetsIn('default').replace('gadgets', 'others'))).status).toBe(200);
  });
});

describe('the deletion of a definition', () => {
  it('deletes its objects, and waits for their finalizers', async () => {
    await start();
    await define(daemon, gadgets());
    for (let i = 0; i < 200; i++) await create(`g${i}`);
    await create('held', {}, { finalizers: ['example.com/hold'] });
    const deleted = await daemon.send('DELETE', NAME);
    expect(deleted.status).toBe(200);
    await until(async () => (await daemon.get(gadgetsIn('default'))).json().total === 1);
    expect(conditionsOf((await daemon.get(NAME)).json())).toContain(
      'Terminating=True InstanceDeletionInProgress',
    );
    const refused = await create('late');
    expect([refused.status, refused.json().reason]).toEqual([403, 'Forbidden']);
    await daemon.send('PATCH', `${gadgetsIn('default')}/held`, {
      body: { metadata: { finalizers: [] } },
      headers: MERGE,
    });
    await until(async () => (await daemon.get(NAME)).status === 404);
    expect((await daemon.get(gadgetsIn('default'))).status).toBe(404);
    expect((await define(daemon, gadgets())).status).toBe(201);
    expect((await daemon.get(gadgetsIn('default'))).json().total).toBe(0);
  });

  it('deletes its objects also when a body without its finalizer has replaced it', async () => {
    await start();
    await define(daemon, gadgets());
    await create('one');
    const replaced = await daemon.send('PUT', NAME, { body: gadgets(undefined, { note: 'x' }) });
    expect(replaced.status).toBe(200);
    await daemon.send('PATCH', NAME, { body: { metadata: { finalizers: null } }, headers: MERGE });
    await daemon.send('DELETE', NAME);
    await until(async () => (await daemon.get(NAME)).status === 404);
    expect((await define(daemon, gadgets())).status).toBe(201);
    expect((await daemon.get(gadgetsIn('default'))).json().total).toBe(0);
  });

  it('ends also when a client has stated a stored version that does not exist', async () => {
    await start();
    await define(daemon, gadgets());
    const stored = { status: { storedVersions: ['v9'] } };
    const stated = await daemon.send('PATCH', `${NAME}/status`, { body: stored, headers: MERGE });
    expect(stated.status).toBe(200);
    await daemon.send('DELETE', NAME);
    await until(async () => (await daemon.get(NAME)).status === 404);
  });

  it('continues after a kill at any time', async () => {
    const dataDir = await start();
    await define(daemon, gadgets());
    await Promise.all(Array.from({ length: 400 }, (_, i) => create(`g${i}`)));
    for (const ms of [0, 5, 20, 60]) {
      if ((await daemon.get(NAME)).status === 404) await define(daemon, gadgets());
      void daemon.send('DELETE', NAME).catch(() => undefined);
      await sleep(ms);
      daemon.signal('SIGKILL');
      await daemon.exited;
      await start(dataDir);
    }
    await daemon.send('DELETE', NAME);
    await until(async () => (await daemon.get(NAME)).status === 404);
    expect((await daemon.get('/apis/shop.example.com/v1')).status).toBe(404);
    expect((await define(daemon, gadgets())).status).toBe(201);
    expect((await daemon.get(gadgetsIn('default'))).json().total).toBe(0);
  });
});

describe('several processes on a store', () => {
  it('serve a kind as soon as one of them has answered', async () => {
    const dataDir = await start();
    const other = await startDaemonProcess({ dataDir, plugins: [temporaryDirectory()] });
    for (let i = 0; i < 20; i++) {
      const definition = gadgets((spec) => {
        spec.names = { plural: `kinds${i}`, kind: `Kind${i}` };
      });
      expect((await define(daemon, definition)).status).toBe(201);
      const path = gadgetsIn('default').replace('gadgets', `kinds${i}`);
      const body = { ...gadget('one'), kind: `Kind${i}` };
      expect((await other.send('POST', path, { body })).status).toBe(201);
      expect((await daemon.get(`${path}/one`)).status).toBe(200);
    }
    await other.stop();
  });

  it('create no objects of a definition that another one deletes', async () => {
    const dataDir = await start();
    const other = await startDaemonProcess({ dataDir, plugins: [temporaryDirectory()] });
    await define(daemon, gadgets());
    let isOver = false;
    const writing = Promise.all(
      Array.from({ length: 16 }, async (_, client) => {
        for (let i = 0; !isOver && i < 2_000; i++)
          await other.send('POST', gadgetsIn('default'), { body: gadget(`g${client}-${i}`) });
      }),
    );
    await sleep(100);
    await daemon.send('DELETE', NAME);
    await until(async () => (await daemon.get(NAME)).status === 404);
    isOver = true;
    await writing;
    expect((await define(daemon, gadgets())).status).toBe(201);
    expect((await daemon.get(gadgetsIn('default'))).json().total).toBe(0);
    await other.stop();
  });
});

describe('the command line on the store', () => {
  it('stores a definition with its conditions, and objects of its kind', async () => {
    const dataDir = temporaryDirectory();
    const flags = ['--data-dir', dataDir, '--plugins', temporaryDirectory()];
    const run = async (file: object): Promise<void> => {
      const name = path.join(temporaryDirectory(), 'object.json');
      writeFileSync(name, JSON.stringify(file));
      const { code, stderr } = await runProgram(['create', '-f', name, ...flags]);
      expect([code, stderr]).toEqual([0, '']);
    };
    await run(gadgets());
    await run(gadget('one', { size: 3 }, { namespace: 'default' }));
    await start(dataDir);
    expect(conditionsOf((await daemon.get(NAME)).json())[1]).toBe('Established=True InitialNamesAccepted');
    expect((await daemon.get(`${gadgetsIn('default')}/one`)).json().spec).toEqual({ size: 3 });
    await daemon.stop();
    const deleted = ['delete', 'customresourcedefinitions', 'gadgets.shop.example.com', ...flags];
    expect((await runProgram(deleted)).code).toBe(0);
    const listed = await runProgram(['get', 'customresourcedefinitions', '-o', 'json', ...flags]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ items: [] });
  });
});

it('a kind of a definition is refused to a plugin, and the other way round', async () => {
  daemon = await startDaemonProcess({ dataDir: temporaryDirectory() });
  const answer = await define(
    daemon,
    gadgets((spec) => {
      spec.group = 'demo.example.com';
      spec.names = { plural: 'persons', kind: 'Person' };
    }),
  );
  expect(conditionsOf(answer.json())[0]).toBe('NamesAccepted=False ListKindConflict');
  expect((await daemon.get('/apis/demo.example.com/v1alpha1/persons')).status).toBe(200);
});

function required({ versions }: Spec): Spec['versions'][number] {
  const [first] = versions;
  if (first === undefined) throw new Error('a definition needs a version');
  return first;
}
