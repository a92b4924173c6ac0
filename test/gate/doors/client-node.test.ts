import path from 'node:path';
import {
  ApiException,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openWriter } from '../../../src/daemon/offline/plugin-store.js';
import { readConfig } from '../../../src/config.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import type { Service } from '../../../src/service/service.js';
import {
  EXAMPLE_PLUGINS,
  freePort,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, PERSON_REF, person, type Json } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const API_VERSION = 'demo.example.com/v1alpha1';
const MODEL = { group: 'demo.example.com', version: 'v1alpha1', plural: 'persons' };
const TEAM = 'demo.example.com/team';
const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

interface Person extends KubernetesObject {
  spec: { name: string; age?: number };
  status?: { phase?: string };
}

let dataDir = '';
let daemon: DaemonProcess;
let config: KubeConfig;

beforeAll(async () => {
  dataDir = path.join(temporaryDirectory(), 'data');
  await startDaemon(await freePort());
  config = new KubeConfig();
  config.loadFromOptions({
    // Without it, the client refuses http.
    clusters: [{ name: 'xsvc', server: daemon.url, skipTLSVerify: true }],
    users: [{ name: 'nobody' }],
    contexts: [{ name: 'xsvc', cluster: 'xsvc', user: 'nobody' }],
    currentContext: 'xsvc',
  });
  for (const { metadata } of (await daemon.get(PERSONS)).json().items) await remove(String(metadata.name));
});
afterEach(async () => {
  for (const { metadata } of (await daemon.get(PERSONS)).json().items) await remove(String(metadata.name));
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

async function startDaemon(port: number): Promise<void> {
  daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port });
}

/** Stops the daemon, changes its store while it is away, and starts it again where it was. */
async function restartAfter(change: (store: Service) => Promise<void>): Promise<void> {
  const { port } = daemon;
  await daemon.stop();
  const settings = readConfig({ flags: { dataDir, plugins: [PERSON_PLUGIN] }, env: {}, cwd: '/' });
  const store = await openWriter(settings, SILENT);
  await change(store);
  await store.close();
  await startDaemon(port);
}

const create = (name: string, spec: object = {}, metadata: object = {}): Promise<unknown> =>
  daemon.send('POST', PERSONS, { body: person(name, spec, metadata) });

const change = (name: string, age: number): Promise<unknown> =>
  daemon.send('PATCH', `${PERSONS}/${name}`, {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { spec: { age } },
  });

const remove = (name: string): Promise<unknown> => daemon.send('DELETE', `${PERSONS}/${name}`);

/** The code and the message that a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<{ code: number; message: string }> {
  const error: unknown = await call.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiException)) throw error;
  return { code: error.code, message: (JSON.parse(String(error.body)) as Json).message };
}

describe('CustomObjectsApi', () => {
  let api: CustomObjectsApi;
  beforeAll(() => {
    api = config.makeApiClient(CustomObjectsApi);
  });
  const ann = { ...MODEL, name: 'ann' };
  const body = (age: number): object => ({
    apiVersion: API_VERSION,
    kind: 'Person',
    metadata: { name: 'ann', labels: { [TEAM]: 'red' } },
    spec: { name: 'Ann', age },
  });

  it('creates, reads, replaces, patches in both ways and deletes', async () => {
    const made = (await api.createClusterCustomObject({ ...MODEL, body: body(1) })) as Person;
    expect(made.metadata).toMatchObject({ name: 'ann', version: 0, generation: 1 });
    expect((await api.getClusterCustomObject(ann)) as Person).toEqual(made);
    const replaced = { ...ann, body: { ...made, spec: { name: 'B' } } };
    expect(await api.replaceClusterCustomObject(replaced)).toMatchObject({
      spec: { name: 'B' },
      metadata: { version: 1 },
    });
    const stale = { ...ann, body: { ...made, spec: { name: 'C' } } };
    expect((await refusal(api.replaceClusterCustomObject(stale))).code).toBe(409);
    // Its default is JSON Patch.
    const json = [{ op: 'add', path: '/spec/age', value: 3 }];
    expect(await api.patchClusterCustomObject({ ...ann, body: json })).toMatchObject({ spec: { age: 3 } });
    const merge = { spec: { age: null, email: 'ann@example.com' } };
    expect(await api.patchClusterCustomObject({ ...ann, body: merge }, MERGE)).toMatchObject({
      spec: { name: 'B', email: 'ann@example.com' },
    });
    expect(await api.deleteClusterCustomObject(ann)).toMatchObject({ metadata: { name: 'ann' } });
    expect(await refusal(api.getClusterCustomObject(ann))).toEqual({
      code: 404,
      message: 'persons.demo.example.com "ann" not found',
    });
  });

  it('lists with selectors, and page by page', async () => {
    for (const [name, team] of [
      ['a', 'red'],
      ['b', 'blue'],
      ['c', 'red'],
    ] as const) {
      await create(name, { age: 7 }, { labels: { [TEAM]: team } });
    }
    const names = ({ items }: KubernetesListObject<KubernetesObject>) => items.map((o) => o.metadata?.name);
    const list = async (query: object) =>
      (await api.listClusterCustomObject({ ...MODEL, ...query })) as KubernetesListObject<KubernetesObject>;
    expect(names(await list({ labelSelector: `${TEAM} in (red)` }))).toEqual(['a', 'c']);
    expect(names(await list({ fieldSelector: 'metadata.name=b' }))).toEqual(['b']);
    expect(names(await list({ fieldSelector: 'spec.age=7', labelSelector: `${TEAM}!=red` }))).toEqual(['b']);
    const first = await list({ limit: 2 });
    const rest = await list({ limit: 2, _continue: continueOf(first) });
    expect([...names(first), ...names(rest)]).toEqual(['a', 'b', 'c']);
  });

  it('reads and writes the status apart from the rest', async () => {
    await api.createClusterCustomObject({ ...MODEL, body: body(1) });
    const status = { status: { phase: 'Ready' }, spec: { name: 'not taken' } };
    await api.patchClusterCustomObjectStatus({ ...ann, body: status }, MERGE);
    const read = (await api.getClusterCustomObjectStatus(ann)) as Person;
    expect(read).toMatchObject({ spec: { name: 'Ann' }, status: { phase: 'Ready' } });
    await api.replaceClusterCustomObjectStatus({ ...ann, body: { ...read, status: { phase: 'Gone' } } });
    expect(await api.getClusterCustomObject(ann)).toMatchObject({ status: { phase: 'Gone' } });
  });

  it('only tries, when it is a dry run', async () => {
    await create('ann');
    const dryRun = 'All';
    await api.createClusterCustomObject({ ...MODEL, dryRun, body: { ...body(1), metadata: { name: 'b' } } });
    await api.patchClusterCustomObject({ ...ann, dryRun, body: { spec: { age: 50 } } }, MERGE);
    await api.deleteClusterCustomObject({ ...ann, dryRun });
    const { items } = (await daemon.get(PERSONS)).json();
    expect(items.map(({ metadata, spec }) => [metadata.name, spec.age])).toEqual([['ann', undefined]]);
  });

  it('gets a hint instead of a missing operation', async () => {
    await create('ann');
    expect(await refusal(api.deleteCollectionClusterCustomObject(MODEL))).toEqual({
      code: 405,
      message: expect.stringContaining('Delete objects by name') as unknown,
    });
    const options = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch);
    expect(await refusal(api.patchClusterCustomObject({ ...ann, body: {} }, options))).toEqual({
      code: 415,
      message: expect.stringContaining('application/merge-patch+json') as unknown,
    });
  });

  it('applies the fields of a manager', async () => {
    const body = {
      apiVersion: `${MODEL.group}/${MODEL.version}`,
      kind: 'Person',
      metadata: { name: 'applied' },
      spec: { name: 'Applied', age: 7 },
    };
    const options = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
    const request = { ...ann, name: 'applied', body, fieldManager: 'suite', force: true };
    const applied = (await api.patchClusterCustomObject(request, options)) as KubernetesObject;
    expect(applied).toMatchObject({
      spec: { name: 'Applied', age: 7 },
      metadata: { managedFields: [{ manager: 'suite', operation: 'Apply' }] },
    });
  });
});

/** The client leaves a list's members as they were sent. */
function continueOf({ metadata }: KubernetesListObject<KubernetesObject>): string {
  return metadata !== undefined && 'continue' in metadata ? String(metadata.continue) : '';
}

describe('KubernetesObjectApi', () => {
  const ann = {
    apiVersion: API_VERSION,
    kind: 'Person',
    metadata: { name: 'ann', labels: { [TEAM]: 'red' } },
    spec: { name: 'Ann' },
  };
  const header = { apiVersion: API_VERSION, kind: 'Person', metadata: { name: 'ann' } };

  it('finds the model by discovery, and creates, reads, lists, replaces, patches and deletes', async () => {
    const api = KubernetesObjectApi.makeApiClient(config);
    const made = await api.create(ann);
    expect(made).toMatchObject({ spec: { name: 'Ann' }, metadata: { generation: 1 } });
    await create('bob');
    const read = await api.read<Person>(header);
    expect(read).toEqual(made);
    const list = (fieldSelector?: string, labelSelector?: string) =>
      api.list<Person>(
        API_VERSION,
        'Person',
        undefined,
        undefined,
        undefined,
        undefined,
        fieldSelector,
        labelSelector,
      );
    expect((await list(undefined, `${TEAM}=red`)).items.map(({ metadata }) => metadata?.name)).toEqual([
      'ann',
    ]);
    expect((await list('spec.name=Ann')).items).toHaveLength(1);
    const replaced = await api.replace<Person>({ ...read, spec: { name: 'Ann', age: 9 } });
    expect(replaced.spec.age).toBe(9);
    expect((await refusal(api.replace<Person>({ ...read, spec: { name: 'Late' } }))).code).toBe(409);
    const patch = (strategy: PatchStrategy, spec: object) =>
      api.patch({ ...header, spec }, undefined, undefined, undefined, undefined, strategy);
    expect(await patch(PatchStrategy.MergePatch, { age: 10 })).toMatchObject({
      spec: { name: 'Ann', age: 10 },
    });
    expect((await refusal(patch(PatchStrategy.StrategicMergePatch, { age: 11 }))).code).toBe(415);
    await api.delete(ann);
    expect((await refusal(api.read(header))).code).toBe(404);
  });

  it('gets every violation', async () => {
    const api = KubernetesObjectApi.makeApiClient(config);
    const refused = await refusal(api.create({ ...ann, spec: { age: -1 } }));
    expect(refused.code).toBe(422);
    expect(refused.message).toMatch(/spec\.name: .*; spec\.age: /);
  });
});

describe('Watch', () => {
  it('receives changes, and stops on request', async () => {
    await create('ann');
    const reported: string[] = [];
    const ends: unknown[] = [];
    const watch = await new Watch(config).watch(
      PERSONS,
      { allowWatchBookmarks: true, fieldSelector: 'metadata.name!=cid' },
      (type, object: Person) => reported.push(`${type} ${object.metadata?.name ?? ''}`),
      (reason) => ends.push(reason),
    );
    await expect.poll(() => reported).toEqual(['ADDED ann']);
    await create('cid');
    await change('ann', 3);
    await remove('ann');
    await expect.poll(() => reported).toEqual(['ADDED ann', 'MODIFIED ann', 'DELETED ann']);
    watch.abort();
    await expect.poll(() => ends).toHaveLength(1);
  });

  it('is refused with the code of the error', async () => {
    const ends: unknown[] = [];
    const future = { resourceVersion: '999999' };
    await new Watch(config).watch(
      PERSONS,
      future,
      () => undefined,
      (reason) => ends.push(reason),
    );
    expect(ends).toMatchObject([{ statusCode: 410 }]);
  });
});

it('an informer reports each change once: live, over a restart, and after missed changes have expired', async () => {
  const api = config.makeApiClient(CustomObjectsApi);
  const listed: number[] = [];
  // The plugin declares others at each start.
  const labelSelector = `${TEAM}=green`;
  const labels = { labels: { [TEAM]: 'green' } };
  const list = async (): Promise<KubernetesListObject<Person>> => {
    const found = (await api.listClusterCustomObject({
      ...MODEL,
      labelSelector,
    })) as KubernetesListObject<Person>;
    listed.push(found.items.length);
    return found;
  };
  const informer = makeInformer<Person>(config, PERSONS, list, labelSelector);
  const reported: string[] = [];
  const tell = (verb: string) => (object: Person) =>
    void reported.push(`${verb} ${object.metadata?.name ?? ''} ${object.spec.age ?? ''}`.trimEnd());
  informer.on('add', tell('add'));
  informer.on('update', tell('update'));
  informer.on('delete', tell('delete'));
  // As its users do: an informer stops at any error.
  informer.on('error', () => void setTimeout(() => void informer.start(), 20));
  const expectTold = async (...expected: string[]): Promise<void> => {
    await expect.poll(() => reported).toEqual(expected);
    reported.length = 0;
  };
  await create('ann', { age: 1 }, labels);
  await informer.start();
  await expectTold('add ann 1');
  await create('bob', { age: 1 }, labels);
  await change('ann', 2);
  await remove('bob');
  await expectTold('add bob 1', 'update ann 2', 'delete bob 1');

  // It goes on where it was.
  await restartAfter(async (store) => {
    await store.create(PERSON_REF, person('cid', { age: 1 }, labels));
    await store.patch(PERSON_REF, 'ann', { spec: { age: 3 } }, 'merge');
  });
  await change('ann', 4);
  await expectTold('add cid 1', 'update ann 3', 'update ann 4');
  expect(listed).toEqual([1]);

  // It lists again, and finds out what is gone. Objects that did not change are no news.
  await restartAfter(async (store) => {
    await store.delete(PERSON_REF, 'ann');
    await store.create(PERSON_REF, person('dan', { age: 1 }, labels));
    await store.store.history.trim({ count: 0, ageMs: -60_000 });
  });
  await expectTold('delete ann 4', 'add dan 1');
  expect(listed).toHaveLength(2);
  expect(
    informer
      .list()
      .map(({ metadata }) => metadata?.name)
      .sort(),
  ).toEqual(['cid', 'dan']);
  await change('dan', 2);
  await expectTold('update dan 2');
  await informer.stop();
});
