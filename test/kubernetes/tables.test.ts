import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';

const DEFAULT = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** The titles of the columns, and the cells of an object: usual ones and, after a bar, those of a wide table. */
async function tableOf(collection: string, name: string): Promise<readonly [string, readonly unknown[]]> {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const query = `fieldSelector=metadata.name%3D${name}`;
  const { columnDefinitions, rows } = (
    await server.get(`${collection}?${query}`, { accept })
  ).json() as unknown as Table;
  const titles = columnDefinitions.map((column) => column.name + (column.priority > 0 ? '*' : ''));
  return [titles.join(' | '), rows[0]?.cells ?? []];
}

const AGE = expect.stringMatching(/^\d+s$/) as unknown;
const CREATED_AT = expect.stringMatching(TIME) as unknown;
const metadata = { name: 'a' };
const subject = (kind: string, name: string) => ({
  kind,
  name,
  ...(kind === 'ServiceAccount' ? { namespace: 'default' } : { apiGroup: 'rbac.authorization.k8s.io' }),
});
const clientConfig = { url: 'https://127.0.0.1:1' };
const webhook = (name: string) => ({
  name,
  clientConfig,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
});
const matchConstraints = {
  resourceRules: [
    { apiGroups: ['none.example.com'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
  ],
};
const event = (more: object) => ({
  metadata,
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web', fieldPath: 'spec' },
  type: 'Normal',
  reason: 'Pulled',
  message: 'it is there',
  ...more,
});
const EVENT =
  'Last Seen | Type | Reason | Object | Message | Subobject* | Source* | First Seen* | Count* | Name*';

describe('a kind of Kubernetes', () => {
  it.each<[string, object, string, readonly unknown[]]>([
    [
      `${DEFAULT}/configmaps`,
      { metadata, data: { a: '', b: '2' }, binaryData: { c: 'MQ==' } },
      'Name | Data | Age',
      ['a', 3, AGE],
    ],
    [`${DEFAULT}/configmaps`, { metadata }, 'Name | Data | Age', ['a', 0, AGE]],
    [
      `${DEFAULT}/secrets`,
      { metadata, data: { a: '', b: 'MQ==' } },
      'Name | Type | Data | Age',
      ['a', 'Opaque', 2, AGE],
    ],
    [
      `${DEFAULT}/serviceaccounts`,
      { metadata, secrets: [{ name: 'x' }] },
      'Name | Secrets | Age',
      ['a', 1, AGE],
    ],
    ['/api/v1/namespaces', { metadata }, 'Name | Status | Age', ['a', 'Active', AGE]],
    [
      '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      { metadata, spec: { holderIdentity: 'h' } },
      'Name | Holder | Age',
      ['a', 'h', AGE],
    ],
    [`${RBAC}/clusterroles`, { metadata, rules: [] }, 'Name | Created At', ['a', CREATED_AT]],
    [
      `${RBAC}/namespaces/default/rolebindings`,
      {
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'View' },
        subjects: [
          subject('User', 'u'),
          subject('User', 'v'),
          subject('Group', 'g'),
          subject('ServiceAccount', 's'),
        ],
      },
      'Name | Role | Age | Users* | Groups* | ServiceAccounts*',
      ['a', 'ClusterRole/View', AGE, 'u, v', 'g', 's'],
    ],
    [
      `${ADMISSION}/validatingwebhookconfigurations`,
      { metadata, webhooks: [webhook('a.example.com'), webhook('b.example.com')] },
      'Name | Webhooks | Age',
      ['a', 2, AGE],
    ],
    [
      `${ADMISSION}/validatingadmissionpolicies`,
      { metadata, spec: { matchConstraints, validations: [{ expression: 'true' }] } },
      'Name | Validations | ParamKind | Age',
      ['a', 1, null, AGE],
    ],
    [
      '/apis/apps/v1/namespaces/default/daemonsets',
      {
        metadata,
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: 'nginx' }] },
          },
        },
      },
      'Name | Desired | Current | Ready | Up-to-date | Available | Age | Containers* | Images*',
      expect.arrayContaining([AGE, 'c', 'nginx']) as unknown[],
    ],
    [
      `${DEFAULT}/events`,
      event({ source: { component: 'kubelet', host: 'n1' }, count: 3 }),
      EVENT,
      [AGE, 'Normal', 'Pulled', 'pod/web', 'it is there', 'spec', 'kubelet, n1', AGE, 3, 'a'],
    ],
    [
      '/apis/events.k8s.io/v1/namespaces/default/events',
      {
        metadata,
        regarding: { kind: 'Pod', namespace: 'default', name: 'web' },
        type: 'Normal',
        reason: 'Pulled',
        note: 'it is there',
        action: 'Pulling',
        eventTime: new Date().toISOString().replace('Z', '000Z'),
        reportingController: 'example.com/kubelet',
        reportingInstance: 'n1',
      },
      EVENT,
      [AGE, 'Normal', 'Pulled', 'pod/web', 'it is there', null, 'example.com/kubelet, n1', AGE, null, 'a'],
    ],
  ])('is a table with the columns of a kube-apiserver: %s', async (collection, object, titles, cells) => {
    await server.post(collection, object);
    expect(await tableOf(collection, 'a')).toEqual([titles, cells]);
    expect((await server.send('DELETE', `${collection}/a`)).status).toBe(200);
  });

  it('has these columns in the command line as well', async () => {
    await server.post(`${DEFAULT}/events`, event({}));
    const run = async (line: string): Promise<string> =>
      (await runCli(line.split(' '), { cwd: '/', env: { XSVC_SERVER: server.url } })).out;
    expect(await run('get events')).toMatch(
      /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\d+s +Normal +Pulled +pod\/web +it is there\n$/,
    );
    expect(await run('get events -o wide')).toMatch(/ COUNT +NAME\n.* a\n$/);
    expect((await server.send('DELETE', `${DEFAULT}/events/a`)).status).toBe(200);
  });
});

describe('a definition', () => {
  const define = async (plural: string, additionalPrinterColumns: readonly object[]): Promise<string> => {
    const names = { plural, singular: plural.slice(0, -1), kind: plural.slice(0, -1) };
    const schema = { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer' } } } };
    const version = { name: 'v1', served: true, storage: true, schema, additionalPrinterColumns };
    await server.post(DEFINITIONS, {
      metadata: { name: `${plural}.shop.example.com` },
      spec: { group: 'shop.example.com', scope: 'Cluster', names, versions: [version] },
    });
    const collection = `/apis/shop.example.com/v1/${plural}`;
    await vi.waitFor(async () => expect((await server.get(collection)).status).toBe(200));
    const object = { apiVersion: 'shop.example.com/v1', kind: names.kind, metadata, size: 7 };
    await server.post(collection, object);
    return collection;
  };

  it.each<[string, readonly object[], string, readonly unknown[]]>([
    ['plains', [], 'Name | Age', ['a', AGE]],
    ['sizes', [{ name: 'Size', type: 'integer', jsonPath: '.size' }], 'Name | Size', ['a', 7]],
    [
      'ages',
      [
        { name: 'Born', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        { name: 'Size', type: 'integer', jsonPath: '.size' },
        { name: 'Id', type: 'string', jsonPath: '.metadata.name', priority: 1 },
      ],
      'Name | Born | Size | Id*',
      ['a', AGE, 7, 'a'],
    ],
  ])(
    'has its columns beside the name, and the age without any: %s',
    async (plural, columns, titles, cells) => {
      const collection = await define(plural, columns);
      expect(await tableOf(collection, 'a')).toEqual([titles, cells]);
    },
  );

  it('has the time of its creation in a table, not an age', async () => {
    await define('times', []);
    expect(await tableOf(DEFINITIONS, 'times.shop.example.com')).toEqual([
      'Name | Created At',
      ['times.shop.example.com', CREATED_AT],
    ]);
  });
});
