/*
 * Requests about kinds of Kubernetes, one group for each rule. The first step of a case that needs an object makes it. Paths are
 * below the namespace of the case, unless they begin with a slash; NS is that namespace.
 */
const CORE = { apiVersion: 'v1' };
const UID = '11111111-1111-4111-8111-111111111111';

const configMap = (rest, metadata = {}) => ({
  ...CORE,
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...rest,
});
const secret = (rest, metadata = {}) => ({
  ...CORE,
  kind: 'Secret',
  metadata: { name: 'a', ...metadata },
  ...rest,
});
const lease = (spec, metadata = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ...metadata },
  spec,
});
const namespace = (name, rest = {}) => ({ ...CORE, kind: 'Namespace', metadata: { name }, ...rest });
const event = (rest, metadata = {}) => ({
  ...CORE,
  kind: 'Event',
  metadata: { name: 'a', ...metadata },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'NS' },
  ...rest,
});
/** With what the group asks for. */
const newEvent = (rest, metadata = {}) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'a', ...metadata },
  eventTime: '2026-01-02T03:04:05.123456Z',
  regarding: { kind: 'Pod', name: 'p', namespace: 'NS' },
  reportingController: 'example.com/c',
  reportingInstance: 'c-0',
  action: 'Doing',
  reason: 'R',
  note: 'N',
  type: 'Normal',
  ...rest,
});

const post = (path, body) => ({ method: 'POST', path, body });
const put = (path, body) => ({ method: 'PUT', path, body });
const merge = (path, body) => ({ method: 'PATCH', path, body, type: 'application/merge-patch+json' });
const strategic = (path, body) => ({
  ...merge(path, body),
  type: 'application/strategic-merge-patch+json',
});
const get = (path) => ({ method: 'GET', path });
const remove = (path) => ({ method: 'DELETE', path });
const finalize = (name, finalizers) =>
  put(`/api/v1/namespaces/${name}/finalize`, {
    ...namespace(name, { spec: { finalizers } }),
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name, a: 'b' } },
  });
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/NS/leases';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/NS/events';
const base64 = (text) => Buffer.from(text).toString('base64');
/** A value of so many bytes. */
const long = (bytes) => ({ repeated: bytes });

const refusedSecret = (type, data) => [post('secrets', secret({ type, data }))];

export const CASES = {
  'a config map': [
    post('configmaps', configMap({ data: { 'a.B_c-1': 'x' }, binaryData: { b: base64('y') } })),
  ],
  'a write with the uid of another object': [
    post('configmaps', configMap({ data: { a: 'x' } })),
    put('configmaps/a', configMap({ data: { a: 'y' } }, { uid: UID })),
    put('configmaps/a', configMap({ data: { a: 'y' } }, { uid: UID, resourceVersion: '1' })),
    put('configmaps/a', configMap({ data: { 'a b': 'y' } }, { uid: UID })),
    put('configmaps/a', configMap({ data: { a: 'z' } }, { uid: '' })),
    put('configmaps/b', configMap({ data: { a: 'y' } }, { uid: UID, name: 'b' })),
    merge('configmaps/a', { metadata: { uid: UID }, data: { a: 'y' } }),
    merge('configmaps/a', { metadata: { uid: null }, data: { a: 'v' } }),
    get('configmaps/a'),
  ],
  'metadata of an object that was read': [
    post(
      'configmaps',
      configMap(
        {},
        { selfLink: '/x', deletionGracePeriodSeconds: 0, deletionTimestamp: '2026-01-02T03:04:05Z' },
      ),
    ),
  ],
  'a name with dots': [post('configmaps', configMap({}, { name: 'a.b-c.d' }))],
  'a name that is no subdomain': [post('configmaps', configMap({}, { name: 'A_b' }))],
  'a name with an empty label': [post('configmaps', configMap({}, { name: 'a..b' }))],
  'a generated name with a dot': [
    post('configmaps', configMap({}, { name: undefined, generateName: 'a.b-' })),
  ],
  'no name': [post('configmaps', configMap({}, { name: undefined }))],
  'wrong keys of a config map': [
    post('configmaps', configMap({ data: { 'a/b': 'x', '': 'x' }, binaryData: { 'c d': base64('y') } })),
  ],
  'the keys . and .. of a config map': [
    post('configmaps', configMap({ data: { '.': 'x', '..': 'x', '..a': 'x' } })),
  ],
  'a key of 254 characters': [post('configmaps', configMap({ data: { ['a'.repeat(254)]: 'x' } }))],
  'a key of 253 characters': [post('configmaps', configMap({ data: { ['a'.repeat(253)]: 'x' } }))],
  'a key in data and binaryData': [
    post('configmaps', configMap({ data: { a: 'x' }, binaryData: { a: base64('y') } })),
  ],
  'binary data that is no base64': [post('configmaps', configMap({ binaryData: { a: 'x' } }))],
  'a config map of a mebibyte': [
    post('configmaps', configMap({ data: { a: long(1024 * 1024 - 1) }, binaryData: { b: base64('y') } })),
  ],
  'a config map of a mebibyte and a byte': [
    post('configmaps', configMap({ data: { a: long(1024 * 1024) }, binaryData: { b: base64('y') } })),
  ],
  'data of an immutable config map': [
    post('configmaps', configMap({ immutable: true, data: { a: 'x' } })),
    put('configmaps/a', configMap({ immutable: true, data: { a: 'y' } })),
    put('configmaps/a', configMap({ immutable: true, data: { a: 'x' }, binaryData: { b: base64('y') } })),
    put('configmaps/a', configMap({ data: { a: 'x' } })),
    put('configmaps/a', configMap({ immutable: false, data: { a: 'y' } })),
    put('configmaps/a', configMap({ immutable: true, data: { a: 'x' } }, { labels: { a: 'b' } })),
  ],
  'a config map that becomes immutable': [
    post('configmaps', configMap({ data: { a: 'x' } })),
    put('configmaps/a', configMap({ immutable: true, data: { a: 'y' } })),
    put('configmaps/a', configMap({ immutable: true, data: { a: 'z' } })),
  ],
  'a secret': [post('secrets', secret({ data: { a: base64('x') } }))],
  'the strings of a secret': [
    post('secrets', secret({ data: { a: base64('x'), c: base64('z') }, stringData: { a: 'ä', b: 'y' } })),
    merge('secrets/a', { stringData: { c: 'new' } }),
    put('secrets/a', secret({ stringData: { d: 'only' } })),
  ],
  'a secret that is no base64': [post('secrets', secret({ data: { a: 'x!' } }))],
  'a secret in base64 without padding': [post('secrets', secret({ data: { a: 'eA' } }))],
  'a secret in base64 of URLs': [post('secrets', secret({ data: { a: '_-8=' } }))],
  'a secret in base64 with line breaks': [
    post('secrets', secret({ data: { a: `${base64('x'.repeat(48))}\n${base64('y')}\r\n` } })),
  ],
  'a config map in base64 with line breaks': [
    post('configmaps', configMap({ binaryData: { a: '\neA=\n=', b: base64('y') } })),
  ],
  'an annotation with capitals in its prefix': [
    post('configmaps', configMap({}, { annotations: { 'Example.com/aB': 'x' } })),
    post('configmaps', configMap({}, { annotations: { 'Example_1/a': 'x' } })),
  ],
  'a label with capitals in its prefix': [
    post('configmaps', configMap({}, { labels: { 'Example.com/a': 'x' } })),
  ],
  'a secret with a number': [post('secrets', secret({ data: { a: 5 } }))],
  'the type of a secret': [
    post('secrets', secret({ type: 'example.com/a' })),
    put('secrets/a', secret({ type: 'example.com/b' })),
    put('secrets/a', secret({})),
    put('secrets/a', secret({ type: 'example.com/a', data: { a: base64('x') } })),
  ],
  'wrong keys of a secret': [
    post('secrets', secret({ data: { 'a/b': base64('x') }, stringData: { 'c d': 'x', '..': 'y' } })),
  ],
  'a secret of a mebibyte': [post('secrets', secret({ stringData: { a: long(1024 * 1024) } }))],
  'a secret of a mebibyte and a byte': [
    post('secrets', secret({ stringData: { a: long(1024 * 1024 + 1) } })),
  ],
  'data of an immutable secret': [
    post('secrets', secret({ immutable: true, data: { a: base64('x') } })),
    put('secrets/a', secret({ immutable: true, data: { a: base64('y') } })),
    put('secrets/a', secret({ data: { a: base64('x') } })),
    put('secrets/a', secret({ immutable: true, stringData: { a: 'x' } }, { labels: { a: 'b' } })),
  ],
  'a TLS secret': [
    post('secrets', secret({ type: 'kubernetes.io/tls', data: { 'tls.crt': base64('x'), 'tls.key': '' } })),
  ],
  'a TLS secret without keys': refusedSecret('kubernetes.io/tls', {}),
  'a TLS secret without the key': refusedSecret('kubernetes.io/tls', { 'tls.crt': base64('x') }),
  'a secret of docker': [
    post(
      'secrets',
      secret({ type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('{}') } }),
    ),
  ],
  'a secret of docker without its key': refusedSecret('kubernetes.io/dockerconfigjson', {}),
  'a secret of docker that is no JSON': refusedSecret('kubernetes.io/dockerconfigjson', {
    '.dockerconfigjson': base64('{'),
  }),
  'an old secret of docker without its key': refusedSecret('kubernetes.io/dockercfg', {}),
  'an old secret of docker that is no JSON': refusedSecret('kubernetes.io/dockercfg', {
    '.dockercfg': base64('x'),
  }),
  'a secret of basic authentication with a name': refusedSecret('kubernetes.io/basic-auth', {
    username: base64('x'),
  }),
  'a secret of basic authentication without keys': refusedSecret('kubernetes.io/basic-auth', {}),
  'a secret of SSH without its key': refusedSecret('kubernetes.io/ssh-auth', {}),
  'a secret of SSH with an empty key': refusedSecret('kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }),
  'a secret of SSH': refusedSecret('kubernetes.io/ssh-auth', { 'ssh-privatekey': base64('x') }),
  'a token without an account': [post('secrets', secret({ type: 'kubernetes.io/service-account-token' }))],
  'a token with an account': [
    post(
      'secrets',
      secret(
        { type: 'kubernetes.io/service-account-token' },
        { annotations: { 'kubernetes.io/service-account.name': 'a' } },
      ),
    ),
  ],
  'a service account': [
    post('serviceaccounts', {
      ...CORE,
      kind: 'ServiceAccount',
      metadata: { name: 'a' },
      secrets: [{ name: 's' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    }),
    get('serviceaccounts/a'),
  ],
  'a service account with a wrong name': [
    post('serviceaccounts', { ...CORE, kind: 'ServiceAccount', metadata: { name: 'A' } }),
  ],
  'a lease': [
    post(
      LEASES,
      lease({
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-02T03:04:05.123456Z',
        renewTime: '2026-01-02T03:04:05.000001Z',
        leaseTransitions: 0,
      }),
    ),
  ],
  'times of a lease in other forms': [
    post(LEASES, lease({ acquireTime: '2026-01-02T03:04:05Z' })),
    post(LEASES, lease({ acquireTime: '2026-01-02T03:04:05.123Z' })),
    post(LEASES, lease({ acquireTime: '2026-01-02T03:04:05.123456789Z' })),
    post(LEASES, lease({ renewTime: null })),
  ],
  'a lease of no time': [post(LEASES, lease({ leaseDurationSeconds: 0 }))],
  'a lease of negative time': [post(LEASES, lease({ leaseDurationSeconds: -1 }))],
  'a lease with negative transitions': [post(LEASES, lease({ leaseTransitions: -1 }))],
  'a lease with a time that is none': [post(LEASES, lease({ renewTime: 'soon' }))],
  'a lease of an empty holder': [post(LEASES, lease({ holderIdentity: '' }))],
  'a lease without a spec': [post(LEASES, lease(undefined))],
  'a namespace': [
    post('/api/v1/namespaces', namespace('NS-b')),
    put('/api/v1/namespaces/NS-b', {
      ...namespace('NS-b', { spec: { finalizers: [] } }),
      metadata: { name: 'NS-b', labels: { 'kubernetes.io/metadata.name': 'other', a: 'b' } },
    }),
    merge('/api/v1/namespaces/NS-b', {
      spec: { finalizers: ['example.com/x'] },
      status: { phase: 'Terminating' },
    }),
    merge('/api/v1/namespaces/NS-b/status', { spec: { finalizers: ['example.com/x'] } }),
    finalize('NS-b', ['kubernetes', 'example.com/x']),
    finalize('NS-b', ['kubernetes']),
    finalize('NS-b', ['bad']),
    merge('/api/v1/namespaces/NS-b/finalize', { spec: { finalizers: [] } }),
    get('/api/v1/namespaces/NS-b/finalize'),
    get('/api/v1/namespaces/NS-b/status'),
  ],
  'a namespace with finalizers and a status': [
    post('/api/v1/namespaces', {
      ...namespace('NS-c', { spec: { finalizers: ['example.com/x'] }, status: { phase: 'Terminating' } }),
      metadata: { name: 'NS-c', labels: { 'kubernetes.io/metadata.name': 'other' } },
    }),
  ],
  'a namespace with a dot': [post('/api/v1/namespaces', namespace('a.b'))],
  'a namespace of 64 characters': [post('/api/v1/namespaces', namespace('a'.repeat(64)))],
  'a namespace with a wrong finalizer': [
    post('/api/v1/namespaces', namespace('NS-d', { spec: { finalizers: ['bad'] } })),
  ],
  'the deletion of the default namespace': [remove('/api/v1/namespaces/default')],
  'the deletion of kube-system': [remove('/api/v1/namespaces/kube-system')],
  'the deletion of kube-public': [remove('/api/v1/namespaces/kube-public')],
  'a namespace that is not there': [
    post('/api/v1/namespaces/NS-none/configmaps', configMap({ data: { a: 'x' } })),
    get('/api/v1/namespaces/NS-none/configmaps'),
    remove('/api/v1/namespaces/NS-none'),
  ],
  'a namespace that is being deleted': [
    post('/api/v1/namespaces', namespace('NS-e')),
    post('/api/v1/namespaces/NS-e/configmaps', configMap({ data: { a: 'x' } })),
    remove('/api/v1/namespaces/NS-e'),
    post('/api/v1/namespaces/NS-e/configmaps', configMap({}, { name: 'b' })),
  ],
  'an event': [
    post(
      'events',
      event({ reason: 'R', message: 'M', type: 'Normal', count: 1, firstTimestamp: '2026-01-02T03:04:05Z' }),
    ),
    merge('events/a', { count: 2, lastTimestamp: '2026-01-02T03:05:05Z' }),
  ],
  'an event about another namespace': [
    post('events', event({ involvedObject: { kind: 'Pod', name: 'p', namespace: 'other' } })),
  ],
  'an event about an object without a namespace': [
    post('events', event({ involvedObject: { kind: 'Node', name: 'p' } })),
    post(
      '/api/v1/namespaces/default/events',
      event({ involvedObject: { kind: 'Node', name: 'p' } }, { name: 'NS' }),
    ),
  ],
  'an event of another type': [post('events', event({ type: 'Strange' }))],
  'an event without an object': [post('events', event({ involvedObject: undefined }))],
  'an event of both groups': [
    post(
      EVENTS,
      newEvent({
        related: { kind: 'Node', name: 'n' },
        series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000001Z' },
      }),
    ),
    get('events/a'),
    get(`${EVENTS}/a`),
    get('events'),
    post('events', event({})),
    merge('events/a', { message: 'M', count: 3, source: { component: 'c', host: 'h' } }),
    get(`${EVENTS}/a`),
  ],
  'an event of the core, read in the other group': [
    post(
      'events',
      event({
        reason: 'R',
        message: 'M',
        type: 'Normal',
        count: 1,
        source: { component: 'c' },
        firstTimestamp: '2026-01-02T03:04:05Z',
        lastTimestamp: '2026-01-02T03:04:06Z',
        reportingComponent: 'example.com/c',
      }),
    ),
    get(`${EVENTS}/a`),
    merge(`${EVENTS}/a`, { metadata: { labels: { a: 'b' } } }),
    merge(`${EVENTS}/a`, { note: 'other' }),
  ],
  'a new event with names of the core': [post(EVENTS, newEvent({ message: 'M', involvedObject: {} }))],
  'a new event without what it needs': [
    post(EVENTS, newEvent({ eventTime: undefined })),
    post(EVENTS, newEvent({ eventTime: null })),
    post(EVENTS, newEvent({ reportingController: undefined })),
    post(EVENTS, newEvent({ reportingInstance: '' })),
    post(EVENTS, newEvent({ action: undefined })),
    post(EVENTS, newEvent({ reason: undefined })),
    post(EVENTS, newEvent({ type: undefined })),
    post(EVENTS, newEvent({ regarding: undefined })),
    post(EVENTS, { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'a' } }),
  ],
  'a new event with values that are not allowed': [
    post(EVENTS, newEvent({ type: 'Strange' })),
    post(EVENTS, newEvent({ reportingController: 'a/b/c' })),
    post(EVENTS, newEvent({ reportingController: 'no name' })),
    post(EVENTS, newEvent({ reportingInstance: 'x'.repeat(129) })),
    post(EVENTS, newEvent({ action: 'x'.repeat(129) })),
    post(EVENTS, newEvent({ reason: 'x'.repeat(129) })),
    post(EVENTS, newEvent({ note: 'x'.repeat(1025) })),
    post(EVENTS, newEvent({ note: 'ä'.repeat(513) })),
    post(EVENTS, newEvent({ deprecatedSource: { component: 'c' } })),
    post(EVENTS, newEvent({ deprecatedCount: 1, deprecatedSource: {} })),
    post(EVENTS, newEvent({ deprecatedFirstTimestamp: '2026-01-02T03:04:05Z' })),
    post(EVENTS, newEvent({ deprecatedLastTimestamp: '2026-01-02T03:04:05Z' })),
    post(EVENTS, newEvent({ series: { count: 1, lastObservedTime: '2026-01-02T03:04:05.000000Z' } })),
    post(EVENTS, newEvent({ series: { count: 2, lastObservedTime: null } })),
    post(EVENTS, newEvent({ series: { count: 2 } })),
    post(EVENTS, newEvent({ series: { lastObservedTime: '2026-01-02T03:04:05.000000Z' } })),
    post(EVENTS, newEvent({ series: {} })),
  ],
  'a new event at the limits': [
    post(
      EVENTS,
      newEvent({
        reportingInstance: 'x'.repeat(128),
        action: 'x'.repeat(128),
        reason: 'x'.repeat(128),
        note: 'x'.repeat(1024),
      }),
    ),
  ],
  'a new event about another namespace': [
    post(EVENTS, newEvent({ regarding: { kind: 'Pod', name: 'p', namespace: 'other' } })),
    post(EVENTS, newEvent({ regarding: { kind: 'Node', name: 'p' } }, { name: 'b' })),
    post(
      '/apis/events.k8s.io/v1/namespaces/default/events',
      newEvent({ regarding: { kind: 'Node', name: 'p' } }, { name: 'NS-d' }),
    ),
    post(
      '/apis/events.k8s.io/v1/namespaces/kube-system/events',
      newEvent({ regarding: { kind: 'Node', name: 'p' } }, { name: 'NS-s' }),
    ),
  ],
  'the series of a new event': [
    post(EVENTS, newEvent({})),
    strategic(`${EVENTS}/a`, { series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000001Z' } }),
    strategic(`${EVENTS}/a`, { series: { count: 3 } }),
    strategic(`${EVENTS}/a`, { series: { count: 1 } }),
    strategic(`${EVENTS}/a`, { series: { lastObservedTime: null } }),
    strategic(`${EVENTS}/a`, { series: null }),
    strategic('events/a', { series: { count: 1 } }),
    merge(`${EVENTS}/a`, { metadata: { labels: { a: 'b' } } }),
  ],
  'what stays in a new event': [
    post(EVENTS, newEvent({})),
    ...[
      { eventTime: '2026-01-02T03:04:05.123457Z' },
      { eventTime: '2026-01-02T03:04:05.123456789Z' },
      { regarding: { name: 'other' } },
      { related: { name: 'other' } },
      { reason: 'Other' },
      { note: 'other' },
      { type: 'Warning' },
      { action: 'Other' },
      { reportingController: 'other' },
      { reportingInstance: 'other' },
      { deprecatedCount: 2 },
      { deprecatedSource: { host: 'h' } },
      { deprecatedFirstTimestamp: '2026-01-02T03:04:05Z' },
      { deprecatedLastTimestamp: '2026-01-02T03:04:05Z' },
    ].map((change) => merge(`${EVENTS}/a`, change)),
    merge('events/a', { message: 'other', count: 5, eventTime: '2026-01-02T03:04:05.123457Z' }),
    get(`${EVENTS}/a`),
  ],
  'an event of the core with the time of a new one': [
    post('events', event({ eventTime: '2026-01-02T03:04:05.000001Z' })),
    post(
      'events',
      event({
        eventTime: '2026-01-02T03:04:05.000001Z',
        involvedObject: { kind: 'Pod', name: 'p', namespace: 'other' },
        reportingComponent: 'c',
        reportingInstance: 'c-0',
        action: 'Doing',
        reason: 'R',
        message: 'x'.repeat(1025),
      }),
    ),
    post(
      'events',
      event({
        eventTime: '2026-01-02T03:04:05.000001Z',
        involvedObject: { kind: 'Pod', name: 'p', namespace: 'other' },
        reportingComponent: 'c',
        reportingInstance: 'c-0',
        action: 'Doing',
        reason: 'R',
        count: 3,
        series: { count: 1 },
      }),
    ),
  ],
  'selectors of events': [
    post(EVENTS, newEvent({})),
    post('events', event({ reason: 'Other', source: { component: 's' } }, { name: 'b' })),
    ...[
      'involvedObject.name=p',
      'involvedObject.namespace=NS,involvedObject.kind=Pod,reason=R',
      'reportingComponent=example.com/c',
      'source=example.com/c',
      'source=s',
      'type=Normal',
      'metadata.name=a',
      'regarding.name=p',
      'reportingController=example.com/c',
    ].map((selector) => get(`events?fieldSelector=${encodeURIComponent(selector)}`)),
    ...[
      'regarding.name=p',
      'regarding.namespace=NS,regarding.kind=Pod,reason=R',
      'reportingController=example.com/c',
      'type=Normal',
      'metadata.name=a',
      'metadata.namespace=NS',
      'involvedObject.name=p',
      'reportingComponent=example.com/c',
      'source=s',
    ].map((selector) => get(`${EVENTS}?fieldSelector=${encodeURIComponent(selector)}`)),
  ],
  'reviews in discovery': [get('/apis/authorization.k8s.io/v1'), get('/apis/authentication.k8s.io/v1')],
  'reviews of rights without what they ask': [
    ...[{}, { spec: {} }, { spec: { resourceAttributes: {}, nonResourceAttributes: {} } }].map((body) =>
      post(`${AUTHORIZATION}/selfsubjectaccessreviews`, body),
    ),
    ...[
      { spec: { user: 'a' } },
      { spec: { resourceAttributes: { verb: 'get' } } },
      { spec: { user: 'a', resourceAttributes: {}, nonResourceAttributes: {} } },
    ].map((body) => post(`${AUTHORIZATION}/subjectaccessreviews`, body)),
    ...[
      { spec: { user: 'a', resourceAttributes: { verb: 'get', namespace: 'other' } } },
      { spec: { user: 'a', nonResourceAttributes: { verb: 'get', path: '/x' } } },
    ].map((body) => post(`${AUTHORIZATION}/namespaces/NS/localsubjectaccessreviews`, body)),
  ],
};
