// Schemas with objects, whose answers record.mjs asks from a kube-apiserver. A step creates an object, or replaces the
// one with its name; a step with a schema replaces the schema.

const object = (properties, more = {}) => ({ type: 'object', properties, ...more });
const array = (items, more = {}) => ({ type: 'array', items, ...more });
const string = { type: 'string' };
const integer = { type: 'integer' };
const open = { 'x-kubernetes-preserve-unknown-fields': true };
const rule = (text, more = {}) => ({ rule: text, ...more });
const rules = (...all) => ({ 'x-kubernetes-validations': all });
const map = (keys, items, more = {}) =>
  array(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, ...more });
const set = (items, more = {}) => array(items, { 'x-kubernetes-list-type': 'set', ...more });

/** Fields with values; each value is an object of its own. */
const FIELDS = {
  string: [string, ['a', '', 1, true, [], {}, null]],
  integer: [integer, [1, 0, -1, 1.5, 9007199254740991, '1', true]],
  int32: [{ ...integer, format: 'int32' }, [2147483647, 2147483648, -2147483648, -2147483649, 1.5]],
  int64: [{ ...integer, format: 'int64' }, [2147483648]],
  number: [{ type: 'number' }, [1, 1.5, '1']],
  float: [{ type: 'number', format: 'float' }, [1.5, 1e39]],
  boolean: [{ type: 'boolean' }, [true, 'true', 0]],
  list: [array(string, { minItems: 1, maxItems: 2 }), [['a'], [], ['a', 'b', 'c'], [1], 'a', [null], {}]],
  map: [
    { type: 'object', additionalProperties: integer, minProperties: 1, maxProperties: 2 },
    [{ a: 1 }, {}, { a: 'x' }, { a: 1, b: 2, c: 3 }, { a: null }, { 'a.b/c': 'x' }],
  ],
  intOrString: [
    { 'x-kubernetes-int-or-string': true, maximum: 5, pattern: '^\\d+%$' },
    [1, '10%', 6, 'x', 1.5, true, null],
  ],
  length: [{ ...string, minLength: 2, maxLength: 3 }, ['ab', 'a', 'abcd', '😀😀', '😀']],
  bounds: [{ type: 'number', minimum: 1, maximum: 5 }, [1, 5, 0, 6]],
  exclusive: [
    { type: 'number', minimum: 1, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true },
    [1, 2, 5],
  ],
  multiple: [{ type: 'number', multipleOf: 0.5 }, [1.5, 1.25, 1]],
  multipleInteger: [{ ...integer, multipleOf: 3 }, [6, 7]],
  pattern: [{ ...string, pattern: '(?i)^ab+$' }, ['ABB', 'b']],
  patternPart: [{ ...string, pattern: 'b' }, ['abc', 'a']],
  enum: [{ ...string, enum: ['a', 'b'] }, ['a', 'c', 1]],
  enumNumber: [{ ...integer, enum: [1, 2] }, [2, 3]],
  enumObject: [object({ a: integer }, { enum: [{ a: 1 }] }), [{ a: 1 }, { a: 2 }]],
  nullable: [{ ...string, nullable: true }, [null, 'a', 1]],
  nullableEnum: [{ ...string, nullable: true, enum: ['a', null] }, [null, 'a']],
  nullableItems: [array({ ...string, nullable: true }), [[null, 'a']]],
  nullableObject: [object({ a: string }, { nullable: true, required: ['a'] }), [null, {}, { a: null }]],
  required: [
    object({ a: string, b: object({ c: string }, { required: ['c'] }) }, { required: ['a', 'b'] }),
    [{ a: '1', b: { c: '2' } }, {}, { a: '1', b: {} }, { a: null, b: { c: null } }],
  ],
  anyOf: [
    object(
      { a: integer, b: integer },
      { anyOf: [{ required: ['a'] }, { properties: { b: { minimum: 5 } }, required: ['b'] }] },
    ),
    [{ a: 1 }, { b: 5 }, { b: 1 }, {}],
  ],
  oneOf: [
    object({ a: integer, b: integer }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    [{ a: 1 }, { a: 1, b: 1 }, {}],
  ],
  allOf: [{ ...string, allOf: [{ minLength: 2 }, { pattern: '^a' }] }, ['ab', 'a', 'bb', 'b']],
  not: [{ ...string, not: { enum: ['x'] } }, ['a', 'x']],
  set: [set(string), [['a', 'b'], ['a', 'b', 'a', 'a', 'b'], [], 'a']],
  setOfObjects: [
    set(object({ a: integer, b: integer }, { 'x-kubernetes-map-type': 'atomic' })),
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [{ a: 1 }, { a: 2 }],
    ],
  ],
  listMap: [
    map(['k'], object({ k: string, v: integer }, { required: ['k'] })),
    [
      [{ k: 'a' }, { k: 'b' }],
      [
        { k: 'a', v: 1 },
        { k: 'a', v: 2 },
      ],
      [{ v: 1 }],
      ['a'],
    ],
  ],
  listMapDefault: [
    map(['p', 'q'], object({ p: integer, q: { ...string, default: 'TCP' } }, { required: ['p'] })),
    [
      [{ p: 1 }, { p: 1, q: 'UDP' }],
      [{ p: 1 }, { p: 1, q: 'TCP' }],
    ],
  ],
  pruned: [
    object({ a: object({ b: string }), l: array(object({ c: string })) }),
    [{ a: { b: 'x', z: 1 }, y: {}, l: [{ c: 'x', d: 1 }, { d: [] }] }, { a: { 'b.c': 1, b: null } }],
  ],
  open: [
    object({ a: object({ b: string }), l: array(object({ c: string })) }, open),
    [
      { x: { y: [1, null] }, a: { b: 'x', z: 1 }, l: [{ c: 'x', d: 1 }] },
      { n: null, a: null },
    ],
  ],
  openList: [array(object({ a: object({ b: string }) }, open)), [[{ a: { b: 'x', c: 1 }, d: 1 }]]],
  anything: [open, [1, 'a', [{ a: null }], { a: { b: null } }]],
  mapOfObjects: [
    { type: 'object', additionalProperties: object({ a: string }) },
    [{ x: { a: 'b', c: 1 }, y: {} }, { x: null }, { x: 1 }],
  ],
  mapOfAnything: [
    { type: 'object', additionalProperties: true },
    [{ a: 1, b: 'x' }, { a: { b: 1 } }, { a: null, l: [{ x: 1 }] }],
  ],
  embedded: [
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    [
      { apiVersion: 'v1', kind: 'Pod', spec: { a: 1 } },
      { kind: 'Pod' },
      {},
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'Some.Name', namespace: 'x', labels: { a: 'b' }, foo: 1 },
      },
      { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { 'a b': 'c' } } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 'c d' } } },
      { apiVersion: 'a/b/c', kind: 'Pod' },
      { apiVersion: 'v1', kind: 'P_d' },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { finalizers: ['a b'] } },
      { apiVersion: '', kind: '' },
      { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: null } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', generation: 3, uid: 'u' } },
    ],
  ],
  embeddedClosed: [
    object({ spec: object({ a: string }) }, { 'x-kubernetes-embedded-resource': true }),
    [{ apiVersion: 'v1', kind: 'Pod', spec: { a: 'b', c: 1 }, status: {} }],
  ],
};

const FORMATS = {
  'date-time': [
    '2024-02-29T10:00:00Z',
    '2024-02-29t10:00:00.123+01:00',
    '2024-02-30T10:00:00Z',
    '2024-02-29T10:00:60Z',
    '2024-02-29 10:00:00Z',
    '2024-02-29T10:00:00',
    '',
  ],
  date: ['2024-02-29', '2023-02-29', '2024-1-1'],
  duration: ['1h30m', '22 ns', '3 weeks', '1.5h', '0', 'P1D', 'x', '5', '-1h', '5 x'],
  byte: ['YQ==', 'YQ', '', 'YWI=', '!'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', 'x'],
  uuid4: ['123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
  uri: [
    'http://a.b/c?d',
    '/a/b',
    'a/b',
    'mailto:a@b.c',
    'http://a b/',
    'http://a/%zz',
    'http://a:b/',
    'http://[::1]:80/',
    '',
    '*',
  ],
  email: [
    'a@b.c',
    'a@b',
    'Some One <a@b.c>',
    '"x y"@b.c',
    'a',
    'a@',
    'a b@c.d',
    '<a@b.c>',
    'a@b.c.',
    'A@[1.2.3.4]',
  ],
  hostname: ['a.example', 'a', 'a_b', '-a', 'a-b.example', '1a.example', 'a..b', 'example.c', 'xn--a'],
  ipv4: ['1.2.3.4', '01.2.3.4', '1.2.3', '256.1.1.1', '::ffff:1.2.3.4', '::1'],
  ipv6: ['::1', 'fe80::1%eth0', '1.2.3.4', '1::2::3', '::ffff:1.2.3.4'],
  cidr: ['10.0.0.0/8', '10.0.0.1/33', '::/0', '10.0.0.0', '10.0.0.0/08', '::1/129'],
  mac: ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab', '01:23', '01:23:45:67:89-ab'],
  isbn: ['0321751043', '978-0321751041', '0321751044'],
  creditcard: ['4220 8554 2622 2389', '4220855426213389'],
  ssn: ['111-22-3333', '111223333', '11-22-3333'],
  hexcolor: ['#fff', 'FFFFFF', '#ffff'],
  rgbcolor: ['rgb(1,2,255)', 'rgb(1, 2, 256)', 'rgb(01,2,3)'],
  bsonobjectid: ['507f1f77bcf86cd799439011', '507f'],
  password: ['x'],
  'k8s-short-name': ['a-b', 'A', 'a.b'],
  'k8s-long-name': ['a.b-c', 'a..b'],
  datetime: ['2024-02-29T10:00:00Z', 'x'],
  unknown: ['x'],
  regex: ['('],
  time: ['x'],
};

const table = Object.entries(FIELDS);
const formats = Object.entries(FORMATS);
const formatField = (name) => `f${name.replaceAll('-', '')}`;

const METADATA = [
  { name: 'a', labels: { x: 'y' }, annotations: { 'a.b/c': 'any text' } },
  { name: 'a', labels: { 'x y': 'z' } },
  { name: 'a', labels: { x: 'a b', '-y': 'c' } },
  { name: 'a', annotations: { 'a b': 'c' } },
  { name: 'a', unknown: 1, labels: null, creationTimestamp: null },
  { name: 'a', finalizers: ['a.b/c'] },
  { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u', other: 1 }] },
  {
    name: 'a',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u', controller: true },
      { apiVersion: 'v1', kind: 'X', name: 'm', uid: 'v', controller: true },
    ],
  },
  { name: 'a', ownerReferences: [{ kind: 'X', name: 'n' }] },
];

const step = (name, spec, more = {}) => ({
  object: { metadata: { name }, ...(spec === undefined ? {} : { spec }) },
  ...more,
});

export const CASES = [
  {
    name: 'keywords',
    schema: object({ spec: object(Object.fromEntries(table.map(([name, [schema]]) => [name, schema]))) }),
    steps: table.flatMap(([name, [, values]]) =>
      values.map((value, at) => step(`${name.toLowerCase()}-${at}`, { [name]: value })),
    ),
  },
  {
    name: 'formats',
    schema: object({
      spec: object(
        Object.fromEntries(formats.map(([name]) => [formatField(name), { ...string, format: name }])),
      ),
    }),
    steps: formats.flatMap(([name, values]) =>
      values.map((value, at) => step(`${name.toLowerCase()}-${at}`, { [formatField(name)]: value })),
    ),
  },
  {
    name: 'metadata',
    schema: object({ spec: object({}) }),
    steps: METADATA.map((metadata, at) => ({
      object: { metadata: { ...metadata, name: `metadata-${at}` }, other: 1 },
    })),
  },
  {
    name: 'names',
    schema: object(
      { metadata: object({ name: { ...string, maxLength: 4, pattern: '^a' } }), spec: object({ a: string }) },
      { required: ['spec'] },
    ),
    steps: [step('ab', { a: 'b' }), step('bb', {}), step('abcde', {}), step('ac', undefined)],
  },
  {
    name: 'defaults',
    schema: object({
      spec: object({
        a: { ...string, default: 'x' },
        n: { ...string, default: 'x', nullable: true },
        o: object(
          { p: { ...integer, default: 1 }, q: object({ r: { ...string, default: 's' } }) },
          { default: {} },
        ),
        l: array(object({ m: { ...integer, default: 2 } })),
        d: { type: 'object', additionalProperties: { ...integer, default: 3 } },
        i: array({ ...integer, default: 4 }),
        e: object({ f: { ...string, default: 'g' } }),
      }),
    }),
    steps: [
      step('d0', {}),
      step('d1', { a: null, n: null, o: null, e: null }),
      step('d2', { o: { q: {} }, l: [{}, { m: 5 }, {}], e: {} }),
      step('d3', { d: { x: null, y: 1 }, i: [null, 1] }),
      step('d4', undefined),
      step('d5', { l: [null] }),
    ],
  },
  {
    name: 'rules',
    schema: object(
      {
        spec: object(
          {
            min: integer,
            max: integer,
            name: {
              ...string,
              ...rules(rule('self != "bad"', { message: 'not bad', reason: 'FieldValueForbidden' })),
            },
            fixed: { ...string, ...rules(rule('self == oldSelf')) },
            grows: {
              ...integer,
              ...rules(rule('!oldSelf.hasValue() || self >= oldSelf.value()', { optionalOldSelf: true })),
            },
            once: {
              ...integer,
              ...rules(rule('oldSelf.hasValue() || self == 1', { optionalOldSelf: true })),
            },
            list: map(
              ['k'],
              object(
                { k: string, v: { ...integer, ...rules(rule('self >= oldSelf')) } },
                { required: ['k'], ...rules(rule('self.v < 100')) },
              ),
              { maxItems: 5 },
            ),
            when: { ...string, format: 'date-time' },
            free: {
              type: 'object',
              maxProperties: 5,
              additionalProperties: { ...string, ...rules(rule('self.size() < 3')) },
            },
            odd: object(
              { a: integer },
              rules(rule('self.a % 2 == 1', { fieldPath: '.a', reason: 'FieldValueRequired' })),
            ),
            short: { ...string, maxLength: 3, ...rules(rule('self != "x"')) },
            emb: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              ...open,
              ...rules(rule('self.kind == "Pod" && self.metadata.name == "p"')),
            },
          },
          rules(
            rule('!has(self.min) || !has(self.max) || self.min <= self.max', {
              messageExpression: '"in order"',
              fieldPath: '.max',
            }),
          ),
        ),
      },
      rules(rule('self.metadata.name != "bad-name"')),
    ),
    steps: [
      step('r0', { min: 1, max: 2 }),
      step('r1', { min: 3, max: 2 }),
      step('r2', { name: 'bad' }),
      step('bad-name', {}),
      step('r3', { fixed: 'a' }),
      step('r3', { fixed: 'b' }),
      step('r3', { fixed: 'a' }),
      step('r3', {}),
      step('r3', { fixed: 'c' }),
      step('r4', { grows: 3 }),
      step('r4', { grows: 2 }),
      step('r4', { grows: 4 }),
      step('r5', { once: 2 }),
      step('r5', { once: 1 }),
      step('r5', { once: 3 }),
      step('r6', {
        list: [
          { k: 'a', v: 5 },
          { k: 'b', v: 1 },
        ],
      }),
      step('r6', {
        list: [
          { k: 'b', v: 2 },
          { k: 'a', v: 4 },
        ],
      }),
      step('r6', {
        list: [
          { k: 'c', v: 0 },
          { k: 'a', v: 5 },
        ],
      }),
      step('r6', { list: [{ k: 'c' }] }),
      step('r7', { free: { a: 'xx', b: 'xxx', 'c.d': 'xxxx' } }),
      step('r8', { odd: { a: 2 } }),
      step('r9', { short: 'long text', name: 'bad' }),
      step('r10', { short: 'x', name: 'bad' }),
      step('r11', { min: 3, max: 2, when: 'never' }),
      step('r12', { min: 3, max: 2, name: 5 }),
      step('r13', { emb: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } } }),
      step('r14', { emb: { apiVersion: 'v1', kind: 'Job', metadata: { name: 'p' } } }),
      step('r15', { emb: { apiVersion: 'v1', kind: 'Pod' } }),
    ],
  },
  {
    name: 'ratchet',
    schema: object({
      spec: object({
        a: string,
        b: string,
        o: object({ x: string, y: string }),
        l: array(object({ n: string })),
        s: array(string),
        m: map(['k'], object({ k: string, v: string }, { required: ['k'] })),
        f: { type: 'object', additionalProperties: string },
        r: integer,
        t: integer,
        u: object({ p: string, q: string }),
        z: object({ d: string }),
      }),
    }),
    steps: [
      step('t0', {
        a: 'long',
        b: 'b',
        o: { x: 'long' },
        l: [{ n: 'long' }, { n: 'a' }],
        s: ['a', 'a'],
        m: [
          { k: 'a', v: 'long' },
          { k: 'b', v: 'b' },
        ],
        f: { g: 'long' },
        r: 5,
        t: 5,
        u: { p: 'long' },
      }),
      {
        ...step('t0', {
          a: 'long',
          b: 'c',
          o: { x: 'long' },
          l: [{ n: 'long' }, { n: 'a' }],
          s: ['a', 'a'],
          m: [
            { k: 'a', v: 'long' },
            { k: 'b', v: 'b' },
          ],
          f: { g: 'long' },
          r: 5,
          t: 5,
          u: { p: 'long' },
        }),
        schema: object({
          spec: object({
            a: { ...string, maxLength: 2 },
            b: string,
            o: object({ x: { ...string, maxLength: 2 }, y: string }, { required: ['y'] }),
            l: array(object({ n: { ...string, maxLength: 2 } })),
            s: set(string),
            m: map(['k'], object({ k: string, v: { ...string, maxLength: 2 } }, { required: ['k'] })),
            f: { type: 'object', additionalProperties: { ...string, maxLength: 2 } },
            r: { ...integer, ...rules(rule('self < 3')) },
            t: { ...integer, maximum: 3 },
            u: object(
              { p: string, q: string },
              { anyOf: [{ required: ['q'] }, { properties: { p: { maxLength: 2 } } }] },
            ),
            z: object({ d: { ...string, default: 'e' } }, { default: {} }),
          }),
        }),
      },
      step('t0', { a: 'longer', b: 'c', o: { x: 'long' } }),
      step('t0', { a: 'long', o: { x: 'long', y: 'new' }, l: [{ n: 'long' }, { n: 'b' }] }),
      step('t0', {
        a: 'long',
        o: { x: 'long', y: 'new' },
        m: [
          { k: 'b', v: 'c' },
          { k: 'a', v: 'long' },
        ],
      }),
      step('t0', { a: 'long', m: [{ k: 'a', v: 'longer' }] }),
      step('t0', { a: 'long', m: [{ k: 'c', v: 'long' }] }),
      step('t0', { a: 'long', s: ['a', 'a', 'b', 'b'] }),
      step('t0', { a: 'long', f: { g: 'long', h: 'long' } }),
      step('t0', { a: 'long', r: 6, t: 5 }),
      step('t0', { a: 'long', r: 5, t: 6 }),
      step('t0', { a: 'long', u: { p: 'longer' } }),
      step('t0', { a: 'long', u: { p: 'long' }, b: 'd' }),
      step('t0', { a: 'long', o: { x: 'long', y: 'a' }, s: ['a'], b: 'e' }),
      step('t0', { s: ['a', 'a'], b: 'f' }),
      step('t1', { o: { x: 'l' } }),
    ],
  },
  {
    name: 'open',
    schema: object({ spec: object({ a: string }) }, open),
    steps: [
      {
        object: { metadata: { name: 'o0' }, spec: { a: 'b', c: 1 }, other: { d: [null, { e: 1 }] }, n: null },
      },
    ],
  },
  {
    name: 'change',
    schema: object({
      spec: object({
        m: map(['k'], object({ k: string, v: string }, { required: ['k'] })),
        n: map(['k'], object({ k: string, l: array(string) }, { required: ['k'] })),
        e: string,
        g: array(object({ h: array(string) })),
        i: { ...string, nullable: true },
        q: string,
        x: { ...open, type: 'object' },
        p: { 'x-kubernetes-int-or-string': true },
      }),
    }),
    steps: [
      step('c0', {
        m: [{ k: 'a' }, { k: 'b' }, { k: 'c' }],
        n: [{ k: 'a', l: ['long'] }],
        e: 'bad',
        g: [{ h: ['long'] }],
        i: 'long',
        q: 'bad',
        x: { kind: 'A' },
        p: 'x',
      }),
      {
        ...step('c0', {
          m: [{ k: 'b' }, { k: 'a' }, { k: 'c' }],
          n: [{ k: 'a', l: ['long'] }],
          e: 'bad',
          g: [{ h: ['long'] }],
          i: 'long',
          q: 'bad',
          p: 'x',
        }),
        schema: object({
          spec: object({
            m: map(['k'], object({ k: string, v: string }, { required: ['k'] }), { maxItems: 2 }),
            n: map(['k'], object({ k: string, l: array({ ...string, maxLength: 2 }) }, { required: ['k'] })),
            e: { ...string, enum: ['good'] },
            g: array(object({ h: array({ ...string, maxLength: 2 }) })),
            i: { ...string, nullable: true, maxLength: 2 },
            q: { ...string, allOf: [{ minLength: 4 }] },
            x: { ...open, type: 'object', 'x-kubernetes-embedded-resource': true },
            p: { 'x-kubernetes-int-or-string': true, ...rules(rule('type(self) == int')) },
            r: { ...string, default: 'd', ...rules(rule('self == oldSelf')) },
          }),
        }),
      },
      step('c0', { n: [{ k: 'z' }, { k: 'a', l: ['long'] }], e: 'bad' }),
      step('c0', { n: [{ k: 'a', l: ['long', 'x'] }] }),
      step('c0', { e: 'bad', g: [{ h: ['long'] }, {}] }),
      step('c0', { e: 'worse' }),
      step('c0', { i: null, q: 'bad' }),
      step('c0', { i: 'long', q: 'worse' }),
      step('c0', { i: 'long' }),
      step('c0', { q: 'odd' }),
      step('c0', { p: 'x' }),
      step('c0', { p: 'y' }),
      step('c0', { r: 'other' }),
      step('c0', { x: { kind: 'A' } }),
      step('c1', { r: 'e' }),
    ],
  },
];
