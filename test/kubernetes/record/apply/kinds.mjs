/* The kinds that the requests are about: their definitions, and makers of values for their fields. */

const text = (random) => random.pick(['p', 'q', 'r', '']);
const number = (random) => random.pick([1, 2, 3, 80]);
const flag = (random) => random.chance(0.5);
const mapOf = (keys, value) => (random) => random.object(Object.fromEntries(keys.map((key) => [key, value])));
const some = (values) => (random) => random.some(values);
const listOf = (value) => (random) => Array.from({ length: random.below(4) }, () => value(random));
/** Undefined, which is no field, instead of no members. */
const filled = (make) => (random) => {
  const value = make(random);
  return Object.keys(value).length === 0 ? undefined : value;
};
const struct = (members) => (random) => random.object(members);
/** A list with an item for some of the keys. */
const itemsBy = (key, values, members) => (random) =>
  random.some(values).map((value) => ({ [key]: value, ...random.object(members) }));

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const STRINGS = { type: 'object', additionalProperties: STRING };
const object = (properties, more = {}) => ({ type: 'object', properties, ...more });
const list = (items, listType, keys) => ({
  type: 'array',
  items,
  ...(listType && { 'x-kubernetes-list-type': listType }),
  ...(keys && { 'x-kubernetes-list-map-keys': keys }),
});
const ATOMIC = { 'x-kubernetes-map-type': 'atomic' };
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const WIDGET_SPEC = object({
  size: { ...INTEGER, default: 1, minimum: 0 },
  colour: STRING,
  nothing: { ...STRING, nullable: true },
  ratio: { type: 'number' },
  big: { type: 'integer', format: 'int64' },
  isOn: { type: 'boolean' },
  labels: STRINGS,
  whole: { ...STRINGS, ...ATOMIC },
  part: object({ a: STRING, b: INTEGER, inner: object({ x: STRING, y: STRING }) }),
  unit: object({ a: STRING, b: INTEGER }, ATOMIC),
  tags: list(STRING, 'set'),
  numbers: list(INTEGER, 'set'),
  steps: list(STRING, 'atomic'),
  plain: list(object({ a: STRING })),
  ports: list(
    object({ name: STRING, port: INTEGER, protocol: { ...STRING, default: 'TCP' } }, { required: ['name'] }),
    'map',
    ['name'],
  ),
  routes: list(
    object(
      { host: STRING, port: { ...INTEGER, default: 80 }, path: STRING, headers: STRINGS },
      { required: ['host'] },
    ),
    'map',
    ['host', 'port'],
  ),
  groups: list(
    object(
      {
        name: STRING,
        tags: list(STRING, 'set'),
        parts: list(object({ id: INTEGER, value: STRING }, { required: ['id'] }), 'map', ['id']),
        values: STRINGS,
      },
      { required: ['name'] },
    ),
    'map',
    ['name'],
  ),
  target: { 'x-kubernetes-int-or-string': true },
  open: OPEN,
  embedded: { ...OPEN, 'x-kubernetes-embedded-resource': true },
  buckets: { type: 'object', additionalProperties: list(STRING, 'set') },
  matrix: list(list(INTEGER)),
});

const STATUS = object({
  replicas: INTEGER,
  selector: STRING,
  phase: STRING,
  conditions: list(object({ type: STRING, status: STRING, reason: STRING }, { required: ['type'] }), 'map', [
    'type',
  ]),
});

const anything = (random, depth = 0) =>
  random.pick([
    () => text(random),
    () => number(random),
    () => random.some(['a', 'b', 1]),
    () => (depth > 2 ? {} : random.object({ k: (one) => anything(one, depth + 1), l: text, m: flag })),
    () => (depth > 2 ? [] : [random.object({ k: (one) => anything(one, depth + 1) })]),
  ])();

const WIDGET_FIELDS = {
  size: number,
  colour: text,
  nothing: (random) => random.pick([null, 'p', 'q']),
  ratio: (random) => random.pick([1, 1.5, 2, -0.25, 1e21]),
  big: (random) => random.pick([1, 2 ** 40, -1]),
  isOn: flag,
  labels: mapOf(['a', 'b', 'c/d', 'e~f'], text),
  whole: mapOf(['a', 'b'], text),
  part: struct({ a: text, b: number, inner: struct({ x: text, y: text }) }),
  unit: struct({ a: text, b: number }),
  tags: some(['a', 'b', 'c', 'd"e']),
  numbers: some([1, 2, 3]),
  steps: listOf(text),
  plain: listOf(struct({ a: text })),
  ports: itemsBy('name', ['web', 'db', 'api'], {
    port: number,
    protocol: (random) => random.pick(['TCP', 'UDP']),
  }),
  routes: (random) =>
    random.some(['h1', 'h2', 'h3']).flatMap((host) =>
      random.some([random.pick([undefined, 80]), 443], 0.4).map((port) => ({
        host,
        ...(port && { port }),
        ...random.object({ path: text, headers: mapOf(['a', 'b'], text) }),
      })),
    ),
  groups: itemsBy('name', ['g', 'h'], {
    tags: some(['a', 'b']),
    parts: itemsBy('id', [1, 2, 3], { value: text }),
    values: mapOf(['a', 'b'], text),
  }),
  target: (random) => random.pick([80, 'http', '80%']),
  open: (random) => random.object({ a: anything, b: anything, c: anything }),
  embedded: (random) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'in', ...random.object({ labels: filled(mapOf(['a', 'b'], text)) }) },
    ...random.object({ data: filled(mapOf(['a', 'b'], text)) }),
  }),
  buckets: mapOf(['a', 'b'], some(['x', 'y'])),
  matrix: listOf(some([1, 2])),
};

const STATUS_FIELDS = {
  replicas: number,
  selector: text,
  phase: text,
  conditions: itemsBy('type', ['Ready', 'Failed'], {
    status: (random) => random.pick(['True', 'False']),
    reason: text,
  }),
};

export const GROUP = 'apply.example.com';
/** Tells which schema is in use, as it accepts only one value. */
export const MARK = 'mark';

function definition(plural, kind, { schema, revision, versions }) {
  const root = object({
    spec: schema,
    status: STATUS,
    [MARK]: { ...STRING, pattern: `^r${revision}$` },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === 0,
        schema: { openAPIV3Schema: root },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      })),
    },
  };
}

const CUSTOM = { group: GROUP, hasScale: false, status: STATUS_FIELDS, isCore: false };
const VERSIONS = ['v1', 'v2'];

/** The kind with all forms of fields, in two versions. */
export const WIDGETS = {
  ...CUSTOM,
  plural: 'widgets',
  kind: 'Widget',
  versions: VERSIONS,
  definition: definition('widgets', 'Widget', { schema: WIDGET_SPEC, revision: 0, versions: VERSIONS }),
  body: { spec: WIDGET_FIELDS },
};

const GRANULAR = {
  map: STRINGS,
  part: object({ a: STRING, inner: object({ x: STRING, y: STRING }) }),
  list: list(object({ name: STRING, a: STRING, b: STRING }, { required: ['name'] }), 'map', ['name']),
  values: list(STRING, 'set'),
  free: OPEN,
};
const WHOLE = {
  map: { ...STRINGS, ...ATOMIC },
  part: { ...GRANULAR.part, ...ATOMIC },
  list: { ...GRANULAR.list, 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-list-map-keys': undefined },
  values: list(STRING, 'atomic'),
  free: { ...OPEN, ...ATOMIC },
};
const SHIFT_FIELDS = {
  size: number,
  map: mapOf(['a', 'b'], text),
  part: struct({ a: text, inner: struct({ x: text, y: text }) }),
  list: itemsBy('name', ['m', 'n'], { a: text, b: text }),
  values: some(['x', 'y', 'z']),
  free: struct({ a: text, b: struct({ c: text }), d: some([1, 2]) }),
};

/** A kind whose schema changes: each field is granular or atomic. */
export function shifts(number) {
  const plural = `shifts${number}`;
  const kind = `Shift${number}`;
  const versions = number % 2 === 0 ? ['v1'] : VERSIONS;
  return {
    ...CUSTOM,
    plural,
    kind,
    versions,
    /** @param names the fields that are atomic */
    schemaOf: (names, revision) => {
      const properties = Object.keys(GRANULAR).map((name) => [
        name,
        names.includes(name) ? WHOLE[name] : GRANULAR[name],
      ]);
      const schema = object({ size: INTEGER, ...Object.fromEntries(properties) });
      return definition(plural, kind, { schema, revision, versions });
    },
    fieldNames: Object.keys(GRANULAR),
    body: { spec: SHIFT_FIELDS },
  };
}

const CORE = { group: '', versions: ['v1'], isCore: true, hasScale: false };

export const CONFIG_MAPS = {
  ...CORE,
  plural: 'configmaps',
  kind: 'ConfigMap',
  body: {
    data: { a: text, b: text, 'c.d': text, e: text },
    binaryData: { x: (random) => random.pick(['YQ==', 'Yg==', '']) },
  },
};

export const SECRETS = {
  ...CORE,
  plural: 'secrets',
  kind: 'Secret',
  body: { data: { a: () => 'YQ==', b: (random) => random.pick(['YQ==', 'Yg==']), 'c.d': () => '' } },
};

/** Without addresses: nothing is allocated for a name outside of the cluster. */
export const SERVICES = {
  ...CORE,
  plural: 'services',
  kind: 'Service',
  fixed: { spec: { type: 'ExternalName', externalName: 'a.example.com' } },
  body: {
    spec: {
      externalName: (random) => random.pick(['a.example.com', 'b.example.com']),
      sessionAffinity: () => 'None',
      selector: mapOf(['app', 'tier'], text),
      externalIPs: some(['192.0.2.1', '192.0.2.2']),
      ports: (random) =>
        random.some(['TCP', 'UDP', undefined]).map((protocol) => ({
          name: `p-${protocol ?? 'none'}`.toLowerCase(),
          port: protocol === undefined ? 81 : 80,
          ...(protocol && { protocol }),
          ...random.object({ targetPort: (one) => one.pick([80, 'http']) }),
        })),
    },
  },
};

const containers = (random) =>
  (random.chance(0.5) ? ['main', 'side'] : ['main']).map((name) => ({
    name,
    image: random.pick(['one', 'two']),
    ...random.object({
      env: filled(itemsBy('name', ['A', 'B'], { value: text })),
      ports: filled((one) =>
        one
          .some([80, 443])
          .map((containerPort) => ({ containerPort, ...one.object({ protocol: () => 'TCP' }) })),
      ),
      args: filled(listOf(text)),
      resources: struct({ limits: filled(mapOf(['cpu', 'memory'], (one) => one.pick(['1', '2']))) }),
    }),
  }));

export const DEPLOYMENTS = {
  ...CORE,
  group: 'apps',
  plural: 'deployments',
  kind: 'Deployment',
  hasScale: true,
  fixed: (random) => ({
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: containers(random) } },
    },
  }),
  body: {
    spec: {
      replicas: number,
      paused: flag,
      minReadySeconds: number,
      revisionHistoryLimit: number,
      template: (random) => ({
        metadata: { labels: { app: 'a', ...random.object({ tier: text }) } },
        spec: {
          containers: containers(random),
          ...random.object({ hostNetwork: () => false, nodeName: text }),
        },
      }),
    },
  },
  status: {
    replicas: number,
    conditions: (random) =>
      itemsBy('type', ['Available', 'Progressing'], { reason: text })(random).map((one) => ({
        ...one,
        status: random.pick(['True', 'False']),
        lastUpdateTime: '2026-01-02T03:04:05Z',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      })),
  },
};
