import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from 'node:http';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { Service } from '../../src/service/service.js';
import { sendHttp, type HttpAnswer } from '../helpers/http.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { openStream, type OpenStream } from '../helpers/watching.js';

@GVK({ group: 'lab.example.com', version: 'v1', kind: 'Device', plural: 'devices', singular: 'device' })
class Device extends AbstractExtension {
  static readonly columns = [
    { name: 'Id', jsonPath: '.metadata.name', type: 'string' },
    { name: 'Serial', jsonPath: '.spec.serial', type: 'string', description: 'As printed on it' },
    { name: 'Level', jsonPath: '.spec.level', type: 'integer' },
    { name: 'Ratio', jsonPath: '.spec.ratio', type: 'number' },
    { name: 'On', jsonPath: '.spec.on', type: 'boolean' },
    { name: 'Seen', jsonPath: '.status.seen', type: 'date' },
    { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status', type: 'string' },
    { name: 'Tags', jsonPath: '.spec.tags[*]', type: 'string', priority: 1 },
    { name: 'Made', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  ] as const;
  static readonly schema = {
    type: 'object',
    properties: { spec: { type: 'object' }, status: { type: 'object' } },
  };
}

const DEVICE = { group: 'lab.example.com', version: 'v1', kind: 'Device', plural: 'devices' } as const;
const DEVICES = '/apis/lab.example.com/v1/devices';
/** The Accept header of `kubectl get`. */
const ACCEPT =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const CREATED = Date.parse('2026-11-20T08:00:00.000Z');
/** More than a list has in one piece. */
const MANY = 1_200;

let t: TestService;
let service: Service;
let server: RunningServer;
let now = CREATED;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  t = await openTestService();
  await t.register(Device);
  service = new Service({ store: t.store, models: t.service.models, now: () => new Date(now) });
  const app = createExpressApp({
    service,
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: true,
    version: '0.1.0',
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  now = CREATED;
  const names = await service.listNames(DEVICE);
  if (names.length === 0) return;
  await service.batch(names.map((name) => ({ verb: 'delete', resource: DEVICE, name })));
});

afterAll(async () => {
  agent.destroy();
  await server.close(0);
  await service.hub.close();
  await t.close();
  removeDirectories();
});

interface Table {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly columnDefinitions: readonly {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly description: string;
    readonly priority: number;
  }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: unknown }[];
}

const get = (target: string, accept = ACCEPT): Promise<HttpAnswer> =>
  sendHttp(agent, Number(new URL(server.url).port), 'GET', target, { headers: { accept } });

const tableAt = async (target: string, accept = ACCEPT): Promise<Table> =>
  JSON.parse((await get(target, accept)).text) as Table;

const create = (name: string, spec: object = {}, status: object = {}): Promise<unknown> =>
  service.create(DEVICE, { metadata: { name }, spec, status });

const FULL = {
  spec: { serial: 'A-1', level: 7, ratio: 0.5, on: false, tags: ['x', 'y'] },
  status: {
    seen: '2026-11-20T06:00:00Z',
    conditions: [
      { type: 'Online', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
  },
};

describe('a list as a table', () => {
  it('has name, the columns of the model once, age and the last change; cells of their types', async () => {
    await create('empty');
    await create('full', FULL.spec, FULL.status);
    now = CREATED + 5 * 60_000;
    const { columnDefinitions, rows, kind, apiVersion } = await tableAt(DEVICES);
    expect([kind, apiVersion]).toEqual(['Table', 'meta.k8s.io/v1']);
    expect(columnDefinitions.map(({ name, type, priority }) => `${name} ${type} ${priority}`)).toEqual([
      'Name string 0',
      'Serial string 0',
      'Level integer 0',
      'Ratio number 0',
      'On boolean 0',
      'Seen date 0',
      'Ready string 0',
      'Tags string 1',
      'Age date 0',
      'Updated date 1',
    ]);
    expect(columnDefinitions[0]?.format).toBe('name');
    expect(columnDefinitions[1]?.description).toBe('As printed on it');
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['empty', null, null, null, null, null, null, null, '5m', '5m'],
      ['full', 'A-1', 7, 0.5, false, '125m', 'True', 'x,y', '5m', '5m'],
    ]);
  });

  it('shows a value of another type than the column as text', async () => {
    await create('odd', { serial: 12, level: 'high', ratio: { a: 1 }, on: 'yes' }, { seen: 'never' });
    expect((await tableAt(DEVICES)).rows[0]?.cells.slice(1, 6)).toEqual([
      '12',
      'high',
      '{"a":1}',
      'yes',
      '<invalid>',
    ]);
  });

  it('computes ages for each request, also when nothing was written in between', async () => {
    await create('a');
    expect((await tableAt(DEVICES)).rows[0]?.cells.at(-1)).toBe('0s');
    now = CREATED + 7_000;
    expect((await tableAt(DEVICES)).rows[0]?.cells.at(-1)).toBe('7s');
  });

  it.each([
    ['', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }],
    ['?includeObject=Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }],
    ['?includeObject=Object', { kind: 'Device', apiVersion: 'lab.example.com/v1', spec: FULL.spec }],
  ])('carries with its rows what %s asks for', async (query, expected) => {
    await create('full', FULL.spec, FULL.status);
    const { metadata } = await service.get(DEVICE, 'full');
    const object = (await tableAt(`${DEVICES}${query}`)).rows[0]?.object;
    expect(object).toMatchObject({ ...expected, metadata });
    expect(Object.keys(object ?? {}).includes('spec')).toBe('spec' in expected);
  });

  it('has the times themselves in the cells of dates for clients that format them', async () => {
    await create('full', FULL.spec, FULL.status);
    now = CREATED + 86_400_000;
    const datesOf = async (query: string) => {
      const { columnDefinitions, rows } = await tableAt(`${DEVICES}${query}`);
      return rows[0]?.cells.filter((_, i) => columnDefinitions[i]?.type === 'date');
    };
    expect((await datesOf('?dateCells=Time'))?.map((time) => Date.parse(String(time)))).toEqual([
      Date.parse(FULL.status.seen),
      CREATED,
      CREATED,
    ]);
    expect(await datesOf('?dateCells=Age')).toEqual(['26h', '24h', '24h']);
    expect(await datesOf('')).toEqual(['26h', '24h', '24h']);
    expect((await get(`${DEVICES}?dateCells=Never`)).status).toBe(400);
  });

  it('carries nothing with includeObject=None, and refuses what is not known', async () => {
    await create('full');
    expect((await tableAt(`${DEVICES}?includeObject=None`)).rows).toEqual([
      { cells: ['full', null, null, null, null, null, null, null, '0s', '0s'] },
    ]);
    const refused = await get(`${DEVICES}?includeObject=All`);
    expect(refused.json()).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
    expect(refused.json().message).toContain('includeObject: "All"');
    expect((await get(`${DEVICES}?includeObject=All`, 'application/json')).status).toBe(200);
  });

  it('is cut by limit, and continued, like other lists', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const first = await tableAt(`${DEVICES}?limit=2`);
    expect(first.metadata).toEqual({
      resourceVersion: expect.stringMatching(/^\d+$/) as unknown,
      continue: expect.any(String) as unknown,
      remainingItemCount: 1,
    });
    const rest = await tableAt(`${DEVICES}?limit=2&continue=${String(first.metadata.continue)}`);
    expect([...first.rows, ...rest.rows].map(({ cells }) => cells[0])).toEqual(['a', 'b', 'c']);
    expect(rest.metadata).not.toHaveProperty('continue');
  });

  it('without matches has columns and no rows', async () => {
    const { columnDefinitions, rows } = await tableAt(`${DEVICES}?fieldSelector=name=nobody`);
    expect([columnDefinitions.length, rows]).toEqual([10, []]);
  });

  it('that is long is streamed', async () => {
    const names = Array.from({ length: MANY }, (_, i) => `d${String(i).padStart(5, '0')}`);
    await service.batch(
      names.map((name) => ({ verb: 'create', resource: DEVICE, object: { metadata: { name }, spec: {} } })),
    );
    const answer = await get(DEVICES);
    expect(answer.headers['transfer-encoding']).toBe('chunked');
    expect((JSON.parse(answer.text) as Table).rows.map(({ cells }) => cells[0])).toEqual(names);
  });
});

describe('the choice of a table by Accept', () => {
  const table = (version: string): string => `application/json;as=Table;v=${version};g=meta.k8s.io`;

  it.each([
    [table('v1'), 'meta.k8s.io/v1'],
    [table('v1beta1'), 'meta.k8s.io/v1beta1'],
    [`${table('v9')},${table('v1beta1')}`, 'meta.k8s.io/v1beta1'],
    ['application/json; g=meta.k8s.io; v=v1; as=Table, application/json', 'meta.k8s.io/v1'],
    [`application/json;q=0.5,${table('v1')}`, 'meta.k8s.io/v1'],
    [`application/vnd.kubernetes.protobuf,${table('v1')}`, 'meta.k8s.io/v1'],
    [`application/json,${table('v1')}`, 'meta.k8s.io/v1'],
    [`${table('v1')},application/yaml`, 'meta.k8s.io/v1'],
    [`${table('v1beta1')};q=0.8,${table('v1')};q=0.9,*/*;q=0.1`, 'meta.k8s.io/v1'],
  ])('%s gets one', async (accept, apiVersion) => {
    expect(await tableAt(DEVICES, accept)).toMatchObject({ kind: 'Table', apiVersion });
  });

  it.each([
    'application/json',
    `application/json,${table('v1')};q=0.9`,
    `application/yaml,${table('v1')};q=0.9`,
    `${table('v1')};q=0.5,*/*`,
    `${table('v1')};q=0`,
    table('v9'),
    'application/json;as=Table;v=v1;g=other.k8s.io',
  ])('%s gets objects', async (accept) => {
    expect((await get(DEVICES, accept)).text).toMatch(/\bkind"?: ?"?DeviceList\b/);
  });

  it('gets errors as they always are', async () => {
    expect((await get(`${DEVICES}/nobody`)).json()).toMatchObject({ kind: 'Status', reason: 'NotFound' });
    expect((await get(`${DEVICES}?fieldSelector=spec.nope=1`)).json().reason).toBe('BadRequest');
  });
});

describe('an object as a table', () => {
  it('is one row under the columns, with its own tag that depends on its age', async () => {
    await create('full', FULL.spec, FULL.status);
    const { metadata } = await service.get(DEVICE, 'full');
    const answer = await get(`${DEVICES}/full`, `${ACCEPT},application/yaml`);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers.etag).toMatch(new RegExp(`^"${metadata.resourceVersion}-table-[\\w-]{16}"$`));
    const table = JSON.parse(answer.text) as Table;
    expect(table.metadata).toEqual({ resourceVersion: metadata.resourceVersion });
    expect(table.columnDefinitions).toHaveLength(10);
    expect(table.rows).toMatchObject([
      { cells: ['full', 'A-1', 7, 0.5, false, '120m', 'True', 'x,y', '0s', '0s'], object: { metadata } },
    ]);
  });
});

describe('a watch as tables', () => {
  const streams: OpenStream[] = [];
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.destroy();
    await expect.poll(() => service.hub.subscribers).toBe(0);
  });

  async function watch(query = ''): Promise<OpenStream> {
    const stream = await openStream(`${server.url}${DEVICES}?watch=true${query}`, { accept: ACCEPT });
    streams.push(stream);
    return stream;
  }

  it('has the columns in the first event only, and a row in each', async () => {
    await create('a', { level: 1 });
    const stream = await watch();
    await stream.take(1);
    await service.patch(DEVICE, 'a', { spec: { level: 2 } }, 'merge');
    await service.delete(DEVICE, 'a');
    const events = await stream.take(3);
    expect(stream.headers['content-type']).toBe('application/json');
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const tables = events.map(({ object }) => object as unknown as Table);
    expect(tables.map(({ columnDefinitions }) => columnDefinitions.length)).toEqual([10, 0, 0]);
    expect(tables.map(({ rows }) => rows.map(({ cells }) => [cells[0], cells[2]]))).toEqual([
      [['a', 1]],
      [['a', 2]],
      [['a', 2]],
    ]);
    const revisions = tables.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    expect(tables[0]?.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata' });
  });

  it('has bookmarks as tables too, with a row that only carries their metadata', async () => {
    const stream = await watch('&sendInitialEvents=true&includeObject=Object');
    const [bookmark] = await stream.take(1);
    const table = bookmark?.object as unknown as Table;
    expect([bookmark?.type, table.kind]).toEqual(['BOOKMARK', 'Table']);
    expect(table.rows).toEqual([
      {
        cells: Array.from({ length: 10 }, () => null),
        object: {
          kind: 'Device',
          apiVersion: 'lab.example.com/v1',
          metadata: {
            resourceVersion: table.metadata.resourceVersion,
            annotations: { 'k8s.io/initial-events-end': 'true' },
          },
        },
      },
    ]);
  });
});
