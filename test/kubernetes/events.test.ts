import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS, KUBERNETES_EVENTS } from '../../src/events/names.js';
import { EventRecorder } from '../../src/events/recorder.js';
import { expireEvents } from '../../src/kubernetes/kinds/event-expiry.js';
import { PROTOBUF_TYPE } from '../../src/kubernetes/protobuf/body.js';
import type { Json } from '../helpers/http.js';
import { SYSTEM_CLOCK } from '../../src/lib/time/clock.js';
import { openKubernetes } from '../../src/kubernetes/open.js';
import { startTestServer } from '../helpers/http.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { kubernetesBody } from '../helpers/protobuf.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const CORE = '/api/v1/namespaces/default/events';
const NEW = '/apis/events.k8s.io/v1/namespaces/default/events';
const OLDER = '/apis/events.platform.run/v1alpha1';
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer();
});
afterAll(async () => {
  expect(await server.check()).toEqual([]);
  await server.close();
  removeDirectories();
});

const newEvent = (name: string, more: object = {}): object => ({
  metadata: { name },
  eventTime: '2026-01-02T03:04:05.000001Z',
  regarding: { kind: 'Node', name: 'n' },
  reportingController: 'example.com/c',
  reportingInstance: 'c-0',
  action: 'Doing',
  reason: 'Done',
  note: 'it is done',
  type: 'Normal',
  ...more,
});

const oldEvent = (name: string, more: object = {}): object => ({
  metadata: { name },
  involvedObject: { kind: 'Node', name: 'n' },
  reason: 'Done',
  message: 'it is done',
  ...more,
});

async function titlesOf(target: string): Promise<readonly unknown[]> {
  const { columnDefinitions, rows } = (await server.get(target, TABLE)).json();
  const names = (columnDefinitions as Json[]).map(({ name }) => name);
  const [row] = rows as { readonly cells: readonly unknown[] }[];
  return names.map((name, i) => [name, row?.cells[i]]);
}

describe('events of both groups', () => {
  it('are described in each of them', async () => {
    const { resources } = (await server.get('/apis/events.k8s.io/v1')).json();
    expect(resources).toMatchObject([
      { name: 'events', namespaced: true, kind: 'Event', shortNames: ['ev'] },
    ]);
    const groups = await server.get('/apis', {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    });
    expect(groups.json().items).toContainEqual(
      expect.objectContaining({
        metadata: { name: 'events.k8s.io' },
        versions: [expect.objectContaining({ version: 'v1' })],
      }),
    );
    const openapi = (await server.get('/openapi/v3/apis/events.k8s.io/v1')).text;
    expect(openapi).toContain('"deprecatedFirstTimestamp"');
    expect(openapi).not.toContain('"involvedObject"');
  });

  it('are one object: what a request of one changes, a watch of the other tells', async () => {
    const since = String((await server.get(CORE)).json().metadata.resourceVersion);
    await server.post(NEW, newEvent('one'));
    await server.send('PATCH', `${CORE}/one`, { body: { message: 'changed' }, headers: STRATEGIC });
    await server.post(CORE, oldEvent('two'));
    await server.send('DELETE', `${NEW}/one`);
    const told = async (target: string, field: string): Promise<unknown[]> => {
      const query = `watch=true&timeoutSeconds=1&resourceVersion=${since}`;
      const { text } = await server.get(`${target}?${query}`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { type: string; object: Json })
        .map(({ type, object }) => [type, object.apiVersion, object.metadata.name, object[field]]);
    };
    const changes = (apiVersion: string) => [
      ['ADDED', apiVersion, 'one', 'it is done'],
      ['MODIFIED', apiVersion, 'one', 'changed'],
      ['ADDED', apiVersion, 'two', 'it is done'],
      ['DELETED', apiVersion, 'one', 'changed'],
    ];
    expect(await told(CORE, 'message')).toEqual(changes('v1'));
    expect(await told(NEW, 'note')).toEqual(changes('events.k8s.io/v1'));
    await server.send('DELETE', `${CORE}/two`);
  });

  it('have columns with the times and counts of old and new ones', async () => {
    const times = { firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:04:06Z', count: 7 };
    const series = { count: 3, lastObservedTime: '2026-01-02T03:04:07.000000Z' };
    const cells = async (target: string) =>
      (await titlesOf(`${target}?dateCells=Time&fieldSelector=metadata.name%3Dcells`)).slice(1, 10);
    const expected = (last: string, first: string, count: number, source: unknown) => [
      ['Last Seen', last],
      ['Type', 'Normal'],
      ['Reason', 'Done'],
      ['Object', 'node/n'],
      ['Subobject', null],
      ['Source', source],
      ['Message', 'it is done'],
      ['First Seen', first],
      ['Count', count],
    ];
    await server.post(CORE, oldEvent('cells', { ...times, type: 'Normal', source: { component: 's' } }));
    for (const target of [CORE, NEW])
      expect(await cells(target)).toEqual(expected(times.lastTimestamp, times.firstTimestamp, 7, 's'));
    await server.send('DELETE', `${CORE}/cells`);
    await server.post(NEW, newEvent('cells', { series }));
    for (const target of [CORE, NEW])
      expect(await cells(target)).toEqual(
        expected(series.lastObservedTime, '2026-01-02T03:04:05.000001Z', 3, 'example.com/c, c-0'),
      );
    await server.send('DELETE', `${CORE}/cells`);
  });

  it('are sorted by their last time', async () => {
    await server.post(CORE, oldEvent('early', { lastTimestamp: '2026-01-02T03:04:05Z' }));
    await server.post(NEW, newEvent('late'));
    await server.post(CORE, oldEvent('middle', { lastTimestamp: '2026-01-02T03:04:05.0000005Z' }));
    const names = async (target: string): Promise<unknown[]> =>
      (await server.get(target)).json().items.map(({ metadata }) => metadata.name);
    expect((await names(`${CORE}?sort=lastTimestamp,desc`)).at(0)).toBe('late');
    expect((await names(`${NEW}?sort=deprecatedLastTimestamp,desc`)).at(0)).toBe('late');
    expect((await server.send('DELETE', NEW)).json().items).toHaveLength(3);
    expect(await names(CORE)).toEqual([]);
  });

  it('are read in protobuf, and their series are raised by a strategic patch', async () => {
    const time = [
      [1, 1_767_323_045],
      [2, 1_000],
    ] as const;
    const body = kubernetesBody('events.k8s.io/v1', 'Event', [
      [
        1,
        [
          [1, 'wire'],
          [3, 'default'],
        ],
      ],
      [2, time],
      [4, 'example.com/c'],
      [5, 'c-0'],
      [6, 'Doing'],
      [7, 'Done'],
      [
        8,
        [
          [1, 'Node'],
          [3, 'n'],
        ],
      ],
      [10, 'it is done'],
      [11, 'Normal'],
    ]);
    const headers = { 'content-type': PROTOBUF_TYPE };
    expect((await server.send('POST', NEW, { body, headers })).status).toBe(201);
    const series = { count: 2, lastObservedTime: '2026-01-02T03:04:09.000001Z' };
    const patched = await server.send('PATCH', `${NEW}/wire`, { body: { series }, headers: STRATEGIC });
    expect(patched.json()).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'it is done', series });
    expect((await server.get(`${CORE}/wire`)).json()).toMatchObject({
      apiVersion: 'v1',
      message: 'it is done',
      eventTime: '2026-01-02T03:04:05.000001Z',
      involvedObject: { kind: 'Node', name: 'n' },
      series,
    });
    await server.send('DELETE', `${NEW}/wire`);
  });

  it('are locked by one version', async () => {
    const { resourceVersion } = (await server.post(NEW, newEvent('locked'))).json().metadata;
    await server.send('PATCH', `${CORE}/locked`, { body: { message: 'changed' }, headers: STRATEGIC });
    const object = newEvent('locked', { metadata: { name: 'locked', resourceVersion } });
    expect((await server.send('PUT', `${NEW}/locked`, { body: object })).status).toBe(409);
    await server.send('DELETE', `${NEW}/locked`);
  });

  it('are deleted an hour after their last change', async () => {
    const events = server.service.models.find('', 'v1', 'events');
    if (events === undefined) throw new Error('no events');
    const created = await server.post(NEW, newEvent('expiring'));
    const written = Date.parse(String(created.json().metadata.updateTimestamp));
    await expireEvents(server.service, events, written + 60 * 60_000 - 1);
    expect((await server.get(`${NEW}/expiring`)).status).toBe(200);
    await expireEvents(server.service, events, written + 60 * 60_000);
    expect((await server.get(`${NEW}/expiring`)).status).toBe(404);
  });
});

describe('an event that a plugin records', () => {
  const warnings: string[] = [];
  const record = async (object: object): Promise<void> => {
    const { service } = server;
    const logger = { ...SILENT, warn: (text: string) => void warnings.push(text) };
    const recorder = new EventRecorder({
      service,
      model: KUBERNETES_EVENTS,
      clock: SYSTEM_CLOCK,
      logger,
    });
    recorder.record(object as Parameters<typeof recorder.record>[0], 'Warning', 'Failed', 'no');
    await recorder.close();
  };
  const find = async (root: string, uid: string): Promise<readonly Json[]> =>
    (await server.get(`${root}/events?fieldSelector=involvedObject.uid%3D${uid}`)).json().items;

  it('is in the namespace of its object, and counted when it happens again', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'red' } });
    const { metadata } = (
      await server.post('/api/v1/namespaces/red/configmaps', { metadata: { name: 'a' } })
    ).json();
    await record({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await record({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    expect(await find('/api/v1/namespaces/red', String(metadata.uid))).toMatchObject([
      {
        apiVersion: 'v1',
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'red', name: 'a' },
        reason: 'Failed',
        message: 'no',
        type: 'Warning',
        count: 2,
      },
    ]);
  });

  it('is left out without a word in a namespace that is being deleted, and with one where there is none', async () => {
    const gone = { name: 'a', uid: 'u-2', namespace: 'gone' };
    const kept = { metadata: { name: 'kept', finalizers: ['example.com/kept'] } };
    await server.post('/api/v1/namespaces', { metadata: { name: 'ending' } });
    await server.post('/api/v1/namespaces/ending/configmaps', kept);
    await server.send('DELETE', '/api/v1/namespaces/ending');
    await record({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...gone, namespace: 'ending' } });
    expect(warnings).toEqual([]);
    await record({ apiVersion: 'v1', kind: 'ConfigMap', metadata: gone });
    expect(warnings).toEqual(['cannot record events: namespaces "gone" not found']);
    expect(await find('/api/v1', 'u-2')).toEqual([]);
  });

  it('is in the default namespace when its object is in none', async () => {
    await record({
      apiVersion: 'demo.example.com/v1',
      kind: 'Person',
      metadata: { name: 'ada', uid: 'u-1' },
    });
    expect(await find('/api/v1/namespaces/default', 'u-1')).toHaveLength(1);
    const [event] = await find(OLDER, 'u-1');
    expect(event).toMatchObject({
      apiVersion: 'events.platform.run/v1alpha1',
      kind: 'Event',
      involvedObject: { apiVersion: 'demo.example.com/v1', kind: 'Person', name: 'ada', uid: 'u-1' },
      count: 1,
    });
    const name = String(event?.metadata.name);
    const older = await server.get(`${OLDER}/namespaces/default/events/${name}`);
    expect([older.status, older.headers.warning]).toEqual([
      200,
      '299 - "events.platform.run/v1alpha1 Event is deprecated; use v1 Event"',
    ]);
    expect((await server.service.list(EVENTS, { fieldSelector: 'involvedObject.uid=u-1' })).total).toBe(1);
  });
});

describe('events of a store without the kinds of Kubernetes', () => {
  it('are dropped when it is served with them', async () => {
    const directory = temporaryDirectory();
    const before = await startTestServer({ directory });
    const involvedObject = { apiVersion: 'demo.example.com/v1', kind: 'Person', name: 'ada', uid: 'u-1' };
    const time = '2026-01-02T03:04:05Z';
    const times = { firstTimestamp: time, lastTimestamp: time };
    const event = { involvedObject, type: 'Normal', reason: 'Greeted', message: 'hello', count: 1, ...times };
    const body = { metadata: { name: 'a' }, ...event };
    expect((await before.send('POST', `${OLDER}/events`, { body })).status).toBe(201);
    await before.close();

    const after = await startTestServer({ directory, hasKinds: true });
    const { service, registry } = after;
    const { sweep } = await openKubernetes({ service, registry, logger: SILENT });
    service.models.openStored();
    expect((await after.get(`${OLDER}/events`)).json().items).toEqual([]);
    const isKept = (): boolean => service.store.findTable(EVENTS) !== undefined;
    expect(isKept()).toBe(true);
    await sweep();
    expect(isKept()).toBe(false);
    expect(await after.check()).toEqual([]);
    await after.close();
  });
});

describe('too many events of one recorder', () => {
  it('are refused for a time, and others are not', async () => {
    const request = (program: string): string =>
      `PATCH ${NEW}/x HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${program}\r\nContent-Length: 0\r\n\r\n`;
    const answers = await server.raw(request('storm/1').repeat(12_000));
    const [taken, refused] = [/HTTP\/1.1 4(?!29)/g, /HTTP\/1.1 429/g].map(
      (pattern) => answers.match(pattern)?.length ?? 0,
    );
    expect(taken).toBeGreaterThanOrEqual(10_000);
    expect(refused).toBe(12_000 - (taken ?? 0));
    expect(refused).toBeGreaterThan(0);
    expect(answers).toMatch(/^Retry-After: 1\r$/im);
    expect(await server.raw(request('calm/1'))).not.toMatch('HTTP/1.1 429');
    expect((await server.get(NEW, { 'user-agent': 'storm/1' })).status).toBe(200);
  });
});
