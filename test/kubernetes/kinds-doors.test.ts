import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { expireEvents } from '../../src/kubernetes/kinds/event-expiry.js';
import { PROTOBUF_TYPE } from '../../src/kubernetes/protobuf/body.js';
import { kubernetesBody } from '../helpers/protobuf.js';
import { removeDirectories } from '../helpers/store.js';

const DEFAULT = '/api/v1/namespaces/default';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const VALUE = 'never-shown';
const BASE64 = Buffer.from(VALUE).toString('base64');

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

function send(method: string, target: string, body: Buffer) {
  return server.send(method, target, { body, headers: { 'content-type': PROTOBUF_TYPE } });
}

/** 2026-01-02T03:04:05.000001Z */
const MICRO_TIME = [
  [1, 1_767_323_045],
  [2, 1_000],
] as const;

function lease(holder: string, resourceVersion = ''): Buffer {
  return kubernetesBody('coordination.k8s.io/v1', 'Lease', [
    [
      1,
      [
        [1, 'leader'],
        [3, 'default'],
        [6, resourceVersion],
      ],
    ],
    [
      2,
      [
        [1, holder],
        [2, 15],
        [4, MICRO_TIME],
      ],
    ],
  ]);
}

describe('a lease in protobuf', () => {
  it('is created, renewed, and refused to a holder that has read an older one', async () => {
    expect((await server.get(`${LEASES}/leader`)).status).toBe(404);
    const created = await send('POST', LEASES, lease('one'));
    expect([created.status, created.json().spec]).toEqual([
      201,
      { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000001Z' },
    ]);
    const version = String(created.json().metadata.resourceVersion);
    expect((await send('PUT', `${LEASES}/leader`, lease('two', version))).status).toBe(200);
    expect((await send('PUT', `${LEASES}/leader`, lease('three', version))).status).toBe(409);
    expect((await server.get(`${LEASES}/leader`)).json().spec).toMatchObject({ holderIdentity: 'two' });
  });
});

describe('a secret', () => {
  it('is read in protobuf', async () => {
    const body = kubernetesBody('v1', 'Secret', [
      [
        1,
        [
          [1, 'wire'],
          [3, 'default'],
        ],
      ],
      [
        2,
        [
          [1, 'a'],
          [2, VALUE],
        ],
      ],
      [3, 'example.com/wire'],
      [
        4,
        [
          [1, 'b'],
          [2, 'text'],
        ],
      ],
    ]);
    const { status, text } = await send('POST', `${DEFAULT}/secrets`, body);
    expect([status, JSON.parse(text)]).toMatchObject([
      201,
      { type: 'example.com/wire', data: { a: BASE64, b: Buffer.from('text').toString('base64') } },
    ]);
    expect(text).not.toContain('stringData');
  });

  it('is found by its type', async () => {
    const found = await server.get('/api/v1/secrets?fieldSelector=type%3Dexample.com/wire');
    expect(found.json().items).toHaveLength(1);
    const others = await server.get('/api/v1/secrets?fieldSelector=type!%3Dexample.com/wire');
    expect(others.json().items).toEqual([]);
    expect((await server.get('/api/v1/secrets?fieldSelector=data%3Dx')).status).toBe(400);
  });

  it('shows its values in no history, table, error or log', async () => {
    const target = `${DEFAULT}/secrets/shy`;
    await server.post(`${DEFAULT}/secrets`, { metadata: { name: 'shy' }, stringData: { a: VALUE } });
    const change = { data: { a: Buffer.from('other').toString('base64') } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await server.send('PATCH', target, { body: change, headers });
    const history = await server.get(`${target}/history`);
    expect(history.json().items).toMatchObject([{ changes: [{ path: 'data.a' }] }, {}]);
    const table = await server.get(`${DEFAULT}/secrets`, {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    expect(table.json().columnDefinitions).toMatchObject([
      { name: 'Name' },
      { name: 'Type' },
      { name: 'Data' },
      { name: 'Age' },
    ]);
    const faults = await Promise.all(
      [
        { data: { a: VALUE } },
        { data: { a: [VALUE] } },
        { stringData: { a: { b: VALUE } } },
        { data: VALUE },
        { stringData: [VALUE] },
        { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': VALUE } },
        { stringData: { 'a/b': VALUE } },
        { immutable: VALUE },
      ].map((body) =>
        server.send('POST', `${DEFAULT}/secrets`, { body: { metadata: { name: 'x' }, ...body } }),
      ),
    );
    expect(faults.map(({ status }) => [400, 422].includes(status))).not.toContain(false);
    const texts = [
      history.text,
      table.text,
      ...faults.slice(0, -1).map(({ text }) => text),
      JSON.stringify(server.logs),
    ];
    for (const text of texts) for (const value of [VALUE, BASE64]) expect(text).not.toContain(value);
  });
});

describe('discovery', () => {
  it('has the kinds of the empty group', async () => {
    expect((await server.get('/api')).json()).toMatchObject({ versions: ['v1'] });
    const { resources } = (await server.get('/api/v1')).json();
    const names = (resources as { readonly name: string }[]).map(({ name }) => name).sort();
    expect(names).toEqual([
      'configmaps',
      'events',
      'namespaces',
      'namespaces/finalize',
      'namespaces/status',
      'secrets',
      'serviceaccounts',
      'serviceaccounts/token',
    ]);
    expect((await server.get('/apis/coordination.k8s.io/v1')).json().resources).toMatchObject([
      { name: 'leases', namespaced: true, kind: 'Lease' },
    ]);
  });
});

describe('an event', () => {
  it('is deleted an hour after its last change', async () => {
    const events = server.service.models.find('', 'v1', 'events');
    if (events === undefined) throw new Error('no events');
    const involvedObject = { kind: 'Node', name: 'old' };
    const created = await server.post(`${DEFAULT}/events`, { metadata: { name: 'old' }, involvedObject });
    const written = Date.parse(String(created.json().metadata.updateTimestamp));
    const status = async (): Promise<number> => (await server.get(`${DEFAULT}/events/old`)).status;
    await expireEvents(server.service, events, written + 60 * 60_000 - 1);
    expect(await status()).toBe(200);
    await expireEvents(server.service, events, written + 60 * 60_000);
    expect(await status()).toBe(404);
  });
});

describe('field labels', () => {
  it('select events and namespaces', async () => {
    const involvedObject = { kind: 'Node', name: 'n1' };
    await server.post(`${DEFAULT}/events`, { metadata: { name: 'e1' }, involvedObject, reason: 'Started' });
    const find = async (selector: string): Promise<number> =>
      (await server.get(`/api/v1/events?fieldSelector=${encodeURIComponent(selector)}`)).json().items.length;
    expect(await find('involvedObject.kind=Node,involvedObject.name=n1,reason=Started')).toBe(1);
    expect(await find('involvedObject.name=n2')).toBe(0);
    const named = await server.get(
      '/api/v1/namespaces?fieldSelector=metadata.name%3Ddefault,status.phase%3DActive',
    );
    expect(named.json().items).toHaveLength(1);
  });
});
