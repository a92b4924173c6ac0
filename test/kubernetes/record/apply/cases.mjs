/* Requests about rules that random requests seldom meet. The first resource version of a case is §v1, its first uid is §u1. */
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const WIDGETS = '/apis/apply.example.com/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

const widget = (name, spec, metadata = {}) => ({
  apiVersion: 'apply.example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  ...(spec && { spec }),
});
const configMap = (name, data, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...(data && { data }),
});
const deployment = (name, spec) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    ...spec,
  },
});
const target = (name) => (name.startsWith('/') ? name : `${WIDGETS}/${name}`);
const apply = (name, body, query = { fieldManager: 'ann' }) => ({
  method: 'PATCH',
  path: target(name),
  type: APPLY,
  query,
  body,
});
const patch = (name, type, body, query = { fieldManager: 'web' }) => ({
  method: 'PATCH',
  path: target(name),
  type,
  query,
  body,
});
const post = (body, query = { fieldManager: 'web' }) => ({ method: 'POST', path: WIDGETS, query, body });
const put = (name, body, query = { fieldManager: 'web' }) => ({
  method: 'PUT',
  path: target(name),
  query,
  body,
});
const get = (name) => ({ method: 'GET', path: target(name) });
const scale = (name, replicas, more = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name },
  ...(replicas !== undefined && { spec: { replicas } }),
  ...more,
});
const forced = (manager) => ({ fieldManager: manager, force: 'true' });

export const CASES = {
  'an apply without a body': [apply('c-none', '')],
  'an apply of null': [apply('c-null', 'null')],
  'an apply of a list': [apply('c-list', '[]')],
  'an apply of a text': [apply('c-text', 'text')],
  'an apply of no YAML': [apply('c-yaml', '{')],
  'an apply of two documents': [apply('c-two', 'apiVersion: v1\n---\nkind: Widget\n')],
  'an apply of an empty object': [apply('c-empty', {})],
  'an apply without a kind': [apply('c-kind', { apiVersion: 'apply.example.com/v1' })],
  'an apply without a version': [apply('c-version', { kind: 'Widget' })],
  'an apply of another kind': [apply('c-other', { ...widget('c-other', {}), kind: 'Other' })],
  'an apply of another version': [
    apply('c-v2', { ...widget('c-v2', {}), apiVersion: 'apply.example.com/v2' }),
  ],
  'an apply of a version that is not there': [
    apply('c-v9', { ...widget('c-v9', {}), apiVersion: 'apply.example.com/v9' }),
  ],
  'an apply of another group': [apply('c-group', { ...widget('c-group', {}), apiVersion: 'v1' })],
  'an apply of another name': [apply('c-name', widget('c-other-name', {}))],
  'an apply without a name': [apply('c-noname', { ...widget('x', { size: 2 }), metadata: undefined })],
  'an apply of a generated name': [apply('c-generated', widget(undefined, {}, { generateName: 'c-' }))],
  'an apply in another namespace': [apply('c-space', widget('c-space', {}, { namespace: 'other' }))],
  'an apply in a namespace that is not there': [
    apply('/apis/apply.example.com/v1/namespaces/none/widgets/a', widget('a', {})),
  ],
  'an apply with an invalid name': [apply('C_upper', widget('C_upper', {}))],
  'an apply without a manager': [apply('c-manager', widget('c-manager', {}), {})],
  'an apply with an empty manager': [apply('c-manager', widget('c-manager', {}), { fieldManager: '' })],
  'a long manager': [
    apply('c-long', widget('c-long', { size: 2 }), { fieldManager: 'm'.repeat(128) }),
    apply('c-long', widget('c-long', { size: 2 }), { fieldManager: 'm'.repeat(129) }),
    patch('c-long', MERGE, { spec: { size: 3 } }, { fieldManager: 'm'.repeat(129) }),
  ],
  'a manager with a line break': [
    apply('c-line', widget('c-line', { size: 2 }), { fieldManager: 'a\nb' }),
    apply('c-line', widget('c-line', { size: 2 }), { fieldManager: 'a "b" ü' }),
  ],
  'force of another write': [
    post(widget('c-force', {})),
    patch('c-force', MERGE, { spec: { size: 3 } }, forced('web')),
    patch('c-force', MERGE, { spec: { size: 3 } }, { fieldManager: 'web', force: 'false' }),
    patch('c-force', JSON_PATCH, [], forced('web')),
  ],
  'a force that is neither true nor false': [
    apply('c-force2', widget('c-force2', {}), { fieldManager: 'a', force: 'x' }),
  ],
  'a force of 1': [apply('c-force3', widget('c-force3', {}), { fieldManager: 'a', force: '1' })],
  'nulls in lists of a merge patch': [
    post(widget('c-lists', { open: { a: [1] } })),
    patch('c-lists', MERGE, { spec: { open: { a: [{ k: null, l: 1 }], b: { c: null } } } }),
  ],
  'a PUT without a resource version': [
    post(widget('c-put', { size: 2 })),
    put('c-put', widget('c-put', { size: 3 })),
  ],
  'a uid of an object that is not there': [apply('c-uid', widget('c-uid', {}, { uid: 'x' }))],
  'a resource version of an object that is not there': [
    apply('c-rv', widget('c-rv', {}, { resourceVersion: '1' })),
  ],
  'a resource version of zero': [
    apply('c-zero', widget('c-zero', {})),
    apply('c-zero', widget('c-zero', { size: 2 }, { resourceVersion: '0' })),
    apply('c-zero', widget('c-zero', { size: 3 }, { resourceVersion: '' })),
  ],
  'the uid and the resource version of the object': [
    apply('c-pre', widget('c-pre', { size: 2 })),
    apply('c-pre', widget('c-pre', { size: 3 }, { uid: '§u1' })),
    apply('c-pre', widget('c-pre', { size: 4 }, { resourceVersion: '§v2' })),
    apply('c-pre', widget('c-pre', { size: 5 }, { resourceVersion: '§v2' })),
    apply('c-pre', widget('c-pre', { size: 5 }, { resourceVersion: '§v2' }), forced('ann')),
    apply('c-pre', widget('c-pre', { size: 5 }, { uid: 'x' })),
    get('c-pre'),
  ],
  'managers in an apply': [
    apply('c-mf', widget('c-mf', { size: 2 }, { managedFields: [] })),
    apply('c-mf', widget('c-mf', { size: 2 }, { managedFields: null })),
    apply('c-mf', widget('c-mf', { size: 2 }, { managedFields: [{}] })),
  ],
  'a sub-resource of an object that is not there': [
    apply('c-sub/status', { ...widget('c-sub'), status: { phase: 'p' } }),
    apply('c-sub/scale', scale('c-sub', 2)),
    apply('c-sub/other', widget('c-sub')),
  ],
  'the status in an apply': [
    apply('c-status', { ...widget('c-status', { size: 2 }), status: { phase: 'p' } }),
    apply('c-status/status', { ...widget('c-status', { size: 5 }), status: { phase: 'p' } }),
    apply('c-status/status', { ...widget('c-status'), status: { phase: 'q' } }, { fieldManager: 'bob' }),
    apply('c-status/status', { ...widget('c-status'), status: { phase: 'q' } }, forced('bob')),
    apply('c-status/status', widget('c-status', undefined, { labels: { a: 'b' } })),
    get('c-status'),
    apply('c-status/status', { ...widget('c-status'), status: {} }, { fieldManager: 'bob' }),
  ],
  'the scale of a custom object': [
    apply('c-scale', widget('c-scale', { size: 2, colour: 'p' })),
    apply('c-scale/scale', scale('c-scale', 3), {}),
    apply('c-scale/scale', scale('c-scale', 3), forced('bob')),
  ],
  'another write of the scale of a custom object': [
    apply('c-scaled', widget('c-scaled', { colour: 'p' })),
    patch('c-scaled/scale', MERGE, { spec: { replicas: 7 } }),
  ],
  'empty metadata': [
    post(widget('c-bare', {}, { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] })),
    apply('c-bare2', widget('c-bare2', {}, { labels: {}, annotations: {}, finalizers: [] })),
  ],
  'the scale of a deployment': [
    apply(`${DEPLOYMENTS}/c-scale`, deployment('c-scale', { replicas: 2 })),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', 3), { fieldManager: 'bob' }),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', 3), forced('bob')),
    get(`${DEPLOYMENTS}/c-scale`),
    apply(`${DEPLOYMENTS}/c-scale`, deployment('c-scale', { replicas: 2 })),
    apply(`${DEPLOYMENTS}/c-scale`, deployment('c-scale', { minReadySeconds: 1 })),
    get(`${DEPLOYMENTS}/c-scale`),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', 4), {}),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('other', 4), forced('bob')),
    apply(`${DEPLOYMENTS}/c-scale/scale`, widget('c-scale', { size: 4 }), forced('bob')),
    apply(
      `${DEPLOYMENTS}/c-scale/scale`,
      { ...scale('c-scale', 4), apiVersion: 'autoscaling/v2' },
      forced('bob'),
    ),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', 'many'), forced('bob')),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', -1), forced('bob')),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', 5, { status: { replicas: 9 } }), forced('bob')),
    get(`${DEPLOYMENTS}/c-scale`),
    apply(`${DEPLOYMENTS}/c-scale/scale`, scale('c-scale', 5), { fieldManager: 'ann' }),
    get(`${DEPLOYMENTS}/c-scale`),
    apply(`${DEPLOYMENTS}/c-scale`, deployment('c-scale', { replicas: 6 }), forced('ann')),
    get(`${DEPLOYMENTS}/c-scale`),
  ],
  'updates of the scale of a deployment': [
    { ...post(deployment('c-update', {})), path: DEPLOYMENTS },
    patch(`${DEPLOYMENTS}/c-update/scale`, MERGE, { spec: { replicas: 3 } }),
    get(`${DEPLOYMENTS}/c-update`),
  ],
  'a scale of no replicas': [
    { ...post(deployment('c-zero', {})), path: DEPLOYMENTS },
    patch(`${DEPLOYMENTS}/c-zero/scale`, MERGE, { spec: { replicas: 0 } }, { fieldManager: 'job' }),
  ],
  'a map of which an item is gone': [
    apply(
      'c-prune',
      widget('c-prune', {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      }),
    ),
    patch('c-prune', MERGE, { spec: { ports: [{ name: 'b', port: 3 }] } }),
    apply('c-prune', widget('c-prune', { ports: [{ name: 'c' }] })),
    apply('c-prune', widget('c-prune', { ports: [] })),
    apply('c-prune', widget('c-prune', {})),
  ],
  'keys with defaults': [
    apply('c-keys', widget('c-keys', { routes: [{ host: 'h' }] })),
    apply('c-keys', widget('c-keys', { routes: [{ host: 'h', port: 80, path: 'p' }] }), forced('bob')),
    apply('c-keys', widget('c-keys', { routes: [{ host: 'h' }, { host: 'h', port: 80 }] })),
    apply('c-keys', widget('c-keys', { routes: [] })),
    apply('c-keys', widget('c-keys', { routes: [{ port: 1 }] })),
    apply('c-keys', widget('c-keys', { routes: ['h'] })),
    apply('c-keys', widget('c-keys', { routes: [null] })),
    apply('c-keys', widget('c-keys', { routes: [{ host: null }] })),
  ],
  'wrong types': [
    apply('c-types', widget('c-types', { size: 'x' })),
    apply('c-types', widget('c-types', { colour: 1 })),
    apply('c-types', widget('c-types', { part: [] })),
    apply('c-types', widget('c-types', { tags: {} })),
    apply('c-types', widget('c-types', { tags: [1] })),
    apply('c-types', widget('c-types', { tags: ['a', null] })),
    apply('c-types', widget('c-types', { tags: ['a', 'a'] })),
    apply('c-types', widget('c-types', { numbers: [1, 1.5] })),
    apply('c-types', widget('c-types', { size: 1.5 })),
    apply('c-types', widget('c-types', { isOn: 'true' })),
    apply('c-types', widget('c-types', { embedded: { kind: 'X' } })),
    apply('c-types', widget('c-types', { unknown: 1, part: { unknown: 2 } })),
    apply('c-types', widget('c-types', { unknown: 1 }), { fieldManager: 'ann', fieldValidation: 'Strict' }),
    apply('c-types', widget('c-types', { unknown: 1 }), { fieldManager: 'ann', fieldValidation: 'Ignore' }),
    apply('c-types', { ...widget('c-types', {}), spec: 'x' }),
    apply('c-types', { ...widget('c-types', {}), metadata: 'x' }),
    apply('c-types', { ...widget('c-types', {}), metadata: { labels: { a: 1 } } }),
    apply('c-types', { ...widget('c-types', {}), metadata: { finalizers: ['a', 'a'] } }),
  ],
  nulls: [
    apply('c-nulls', widget('c-nulls', undefined)),
    apply('c-nulls', widget('c-nulls', { nothing: null })),
    apply('c-nulls', widget('c-nulls', { labels: {}, open: { a: null } })),
  ],
  'a null that is no value': [apply('c-null1', widget('c-null1', { size: null, colour: null }))],
  'parts that are null': [apply('c-null2', widget('c-null2', { part: null, tags: null, open: null }))],
  'a null in a part': [apply('c-null3', widget('c-null3', { part: { a: null, inner: {} } }))],
  'a spec of null': [apply('c-null4', { ...widget('c-null4', {}), spec: null })],
  'a value that the schema refuses': [
    apply('c-invalid', widget('c-invalid', { size: -1 })),
    apply('c-invalid', widget('c-invalid', { size: 1 })),
    apply('c-invalid', widget('c-invalid', { size: -1 })),
  ],
  'what kubectl applied in another way': [
    post(configMapOfKubectl({ a: '1', b: '2' }), { fieldManager: 'kubectl-client-side-apply' }),
    apply(`${CONFIG_MAPS}/c-kubectl`, configMap('c-kubectl', { a: '3' }), { fieldManager: 'kubectl' }),
    apply(`${CONFIG_MAPS}/c-kubectl`, configMap('c-kubectl', { a: '4' }), { fieldManager: 'kubectl' }),
    apply(`${CONFIG_MAPS}/c-kubectl`, configMap('c-kubectl', { b: '4' }), { fieldManager: 'kubectl' }),
    patch(`${CONFIG_MAPS}/c-kubectl`, MERGE, { data: { b: '5' } }),
    apply(`${CONFIG_MAPS}/c-kubectl`, configMap('c-kubectl', { b: '4' }), { fieldManager: 'kubectl' }),
    apply(`${CONFIG_MAPS}/c-kubectl`, configMap('c-kubectl', { b: '4' }), forced('kubectl')),
  ].map((one) => (one.method === 'POST' ? { ...one, path: CONFIG_MAPS } : one)),
  'a manager that only reads': [
    post(widget('c-same', { size: 2, colour: 'p' })),
    apply('c-same', widget('c-same', { size: 2 })),
    apply('c-same', widget('c-same', { size: 2 })),
    apply('c-same', widget('c-same', {})),
    apply('c-same', widget('c-same', {}), { fieldManager: 'bob' }),
    get('c-same'),
  ],
  'an object without managers': [
    post(widget('c-reset', { size: 2, tags: ['a'] }, { labels: { a: 'x' } })),
    patch('c-reset', MERGE, { metadata: { managedFields: [{}] } }),
    patch('c-reset', MERGE, { spec: { colour: 'p' } }),
    apply('c-reset', widget('c-reset', { size: 3 })),
    apply('c-reset', widget('c-reset', { size: 3 }), forced('ann')),
    patch('c-reset', JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
    apply('c-reset', widget('c-reset', { tags: ['b'] })),
    get('c-reset'),
  ],
  'managers that are written': [
    apply('c-write', widget('c-write', { size: 2 })),
    patch('c-write', JSON_PATCH, [
      { op: 'test', path: '/metadata/managedFields/0/manager', value: 'ann' },
      { op: 'replace', path: '/metadata/managedFields/0/manager', value: 'bob' },
    ]),
    apply('c-write', widget('c-write', { size: 3 }), { fieldManager: 'bob' }),
    apply('c-write', widget('c-write', { size: 4 })),
    patch('c-write', MERGE, { metadata: { managedFields: [{ manager: 'x' }] } }),
    patch('c-write', MERGE, { metadata: { managedFields: 'x' } }),
    patch('c-write', MERGE, { metadata: { managedFields: [] } }),
    patch('c-write', MERGE, {
      metadata: {
        managedFields: [
          {
            manager: 'x',
            operation: 'Update',
            apiVersion: 'apply.example.com/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:size': {} } },
          },
        ],
      },
    }),
    apply('c-write', widget('c-write', { size: 5 })),
    get('c-write'),
  ],
};

function configMapOfKubectl(data) {
  const applied = configMap('c-kubectl', data, { annotations: {} });
  return configMap('c-kubectl', data, { annotations: { [ANNOTATION]: `${JSON.stringify(applied)}\n` } });
}
