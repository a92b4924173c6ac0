/** Requests of at most 1 MiB that are the most work for their size. */

const THINGS = '/apis/bench.example.com/v1/things';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const TYPE = { apiVersion: 'bench.example.com/v1', kind: 'Thing' };
const MIB = 1024 * 1024;
/** Bytes of the body for the repeated part; the 500 others are for the rest of the object. */
const ROOM = MIB - 500;
const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const MERGE = 'application/merge-patch+json';
const PATCH = 'application/json-patch+json';
/** Longest URL that is read. */
const URL_MAX = 64 * 1024 - 100;

/** As many as there is room for. */
function many(itemOf, room = ROOM) {
  const items = [];
  for (let length = 0; ;) {
    const item = itemOf(items.length);
    length += item.length + 1;
    if (length > room) return items.join(',');
    items.push(item);
  }
}

const numbers = `[${many(() => '123')}]`;
const keys = (value = '1') => `{${many((i) => `"k${i.toString(36)}":${value}`)}}`;
const texts = `[${many((i) => `"t${i.toString(36)}"`)}]`;
const deep = (open, close) => open.repeat(90) + close.repeat(90);
const body = (spec, metadata = '') => `{"metadata":{"generateName":"t-"${metadata}},"spec":{${spec}}}`;
const create = (title, spec, rest = {}) => ({
  title,
  method: 'POST',
  path: THINGS,
  body: body(spec),
  ...rest,
});
const yaml = (title, text, rest = {}) => ({
  title: `YAML: ${title}`,
  method: 'POST',
  path: THINGS,
  type: YAML_TYPE,
  body: text,
  ...rest,
});
const yamlBody = (spec) => `metadata: {generateName: t-}\nspec:\n  ${spec}\n`;
const patch = (title, text, rest = {}) => ({
  title,
  method: 'PATCH',
  path: `${THINGS}/big`,
  type: MERGE,
  body: text,
  ...rest,
});
const list = (title, query) => ({ title, method: 'GET', path: `${THINGS}?${query}` });
const batch = (title, items, rest = {}) => ({
  title: `batch: ${title}`,
  method: 'POST',
  path: BATCHES,
  body: `{"items":[${items}]}`,
  ...rest,
});

/** Objects that are there before. */
export const FIRST = [
  { name: 'big', spec: `"numbers":${numbers}` },
  { name: 'wide', spec: `"anything":${keys()}` },
  { name: 'text', spec: `"anything":"${'x'.repeat(ROOM)}"` },
  { name: 'small', spec: '"anything":1' },
  { name: 'middle', spec: `"anything":[${many(() => '123', 7_000)}]` },
].map(({ name, spec }) => ({
  method: 'PUT',
  path: THINGS,
  body: `{"metadata":{"name":"${name}"},"spec":{${spec}}}`,
}));

const finalizers = many((i) => `"example.com/f${i}"`);
const labels = many((i) => `"l${i.toString(36)}":"v"`);
const labelled = (field, text) => body('', `,"${field}":{${text}}`);

export const CASES = [
  { title: 'a small object is created', method: 'POST', path: THINGS, body: body('"anything":1') },
  create('numbers', `"numbers":${numbers}`),
  create('any numbers', `"anything":${numbers}`),
  create('one text', `"anything":"${'x'.repeat(ROOM)}"`),
  create('texts', `"anything":${texts}`),
  create('lists, empty', `"anything":[${many(() => '[]')}]`),
  create('lists, deep', `"anything":[${many(() => deep('[', ']'))}]`),
  create('objects with a default each', `"rows":[${many(() => '{}')}]`),
  create('items that must differ', `"distinct":${texts}`),
  create('objects that must differ', `"distinct":[${many((i) => `{"a":${i}}`)}]`),
  create('a tree', `"tree":{"children":[${many(() => '{"children":[{}]}')}]}`),
  create('keys of a map', `"map":${keys()}`),
  create('keys of a map, all wrong', `"map":${keys('"x"')}`),
  create('items, all wrong', `"numbers":[${many(() => '""')}]`),
  create('unknown fields, Warn', `"closed":${keys()}`),
  create('unknown fields, Strict', `"closed":${keys()}`, { path: `${THINGS}?fieldValidation=Strict` }),
  create('unknown fields, long', `"closed":{${many((i) => `"${'fifst'.repeat(20)}${i}":1`)}}`),
  create('a text for a pattern', `"code":"${'a'.repeat(ROOM)}!"`),
  create('a text for a link', `"link":"http://${'a'.repeat(ROOM)} "`),
  create('a text for a mail', `"mail":"${'a.'.repeat(ROOM / 2)}"`),
  create('tags, each indexed', `"tags":${texts}`),
  { ...create('finalizers', ''), body: body('', `,"finalizers":[${finalizers}]`) },
  { ...create('labels', ''), body: labelled('labels', labels) },
  { ...create('annotations', ''), body: labelled('annotations', labels) },
  { ...create('malformed at its end', ''), body: `${body(`"numbers":${numbers}`).slice(0, -1)}` },
  { ...create('a key twice at its end', ''), body: body(`"anything":{"a":${keys()},"b":1,"b":2}`) },
  { ...create('malformed, much nested', ''), body: '['.repeat(ROOM) },
  yaml('documents', '---\na\n'.repeat(ROOM / 6)),
  yaml('numbers in lines', yamlBody(`numbers:\n${'  - 1\n'.repeat(ROOM / 6 - 20)}`)),
  yaml('numbers in a list', yamlBody(`numbers: [${many(() => '1')}]`)),
  yaml('keys', yamlBody(`anything: {${many((i) => `k${i}: 1`)}}`)),
  yaml('digits and a letter', yamlBody(`anything: ${'1'.repeat(ROOM)}x`)),
  yaml('digits and a letter, 64 KB', yamlBody(`anything: ${'1'.repeat(65_000)}x`)),
  yaml('numbers, 64 KB', yamlBody(`anything: [${many(() => '1', 65_000)}]`)),
  yaml('one text', yamlBody(`anything: ${'x '.repeat(ROOM / 2)}x`)),
  yaml('malformed at its end', `${yamlBody(`anything: [${many(() => '1')}`)}\n---`),
  { ...list('a big object as YAML', ''), path: `${THINGS}/big`, accept: YAML_TYPE },
  { ...list('a wide object as YAML', ''), path: `${THINGS}/wide`, accept: YAML_TYPE },
  { ...list('a long text as YAML', ''), path: `${THINGS}/text`, accept: YAML_TYPE },
  { ...list('a big object', ''), path: `${THINGS}/big` },
  {
    ...list('a big object as a Table', ''),
    path: `${THINGS}/big`,
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  },
  patch('a big object, one field', '{"metadata":{"annotations":{"a":"@"}}}'),
  patch('a big object, one field, answered as YAML', '{"metadata":{"annotations":{"a":"@"}}}', {
    accept: YAML_TYPE,
  }),
  patch('a big object, all of it', `{"spec":{"numbers":[${many(() => '@')}]}}`),
  patch('a wide object, one field', '{"metadata":{"annotations":{"a":"@"}}}', { path: `${THINGS}/wide` }),
  patch('a wide object, all of it', `{"spec":{"anything":${keys('@')}}}`, { path: `${THINGS}/wide` }),
  patch('a wide object, all of it removed', `{"spec":{"anything":${keys('null')}}}`, {
    path: `${THINGS}/wide`,
    query: 'dryRun=All',
  }),
  patch('JSON Patch: many numbers', `[{"op":"add","path":"/spec/numbers","value":[${many(() => '@')}]}]`, {
    type: PATCH,
  }),
  patch(
    'JSON Patch: operations on the big one',
    `[${many(() => '{"op":"remove","path":"/spec/numbers/0"}', 400_000)}]`,
    { type: PATCH },
  ),
  patch(
    'JSON Patch: tests of the big one',
    `[${many(() => '{"op":"test","path":"/spec","value":{"numbers":[]}}', 450_000)}]`,
    { type: PATCH },
  ),
  patch(
    'JSON Patch: copies of the big one',
    `[${many((i) => `{"op":"copy","from":"/spec/numbers","path":"/spec/c${i}"}`, 400_000)}]`,
    { type: PATCH },
  ),
  patch(
    'JSON Patch: long pointers',
    `[${many(() => `{"op":"test","path":"${'/a'.repeat(5_000)}","value":1}`)}]`,
    { type: PATCH },
  ),
  {
    ...patch('a big object replaced', ''),
    method: 'PUT',
    type: JSON_TYPE,
    body: `{"spec":{"numbers":[${many(() => '@')}]}}`,
  },
  {
    ...patch('status of a big object', ''),
    method: 'PUT',
    path: `${THINGS}/big/status`,
    type: JSON_TYPE,
    body: '{"status":{"a":"@"}}',
  },
  batch(
    'creates',
    many(
      (i) =>
        JSON.stringify({
          verb: 'create',
          object: { ...TYPE, metadata: { generateName: 't-' }, spec: { anything: i } },
        }),
      MIB - 50,
    ),
  ),
  batch(
    'creates, none of them returned',
    many(
      (i) =>
        JSON.stringify({
          verb: 'create',
          object: { ...TYPE, metadata: { generateName: 't-' }, spec: { anything: i } },
        }),
      MIB - 50,
    ),
    { path: `${BATCHES}?return=none` },
  ),
  batch(
    'creates, the last one wrong',
    `${many(() => JSON.stringify({ verb: 'create', object: { ...TYPE, metadata: { generateName: 't-' }, spec: {} } }), MIB - 500)},{"verb":"create","object":{}}`,
  ),
  batch(
    'patches of one object',
    many(
      (i) => JSON.stringify({ verb: 'patch', ...TYPE, name: 'small', patch: { spec: { anything: i } } }),
      MIB - 50,
    ),
  ),
  batch(
    'patches of an object of 7 KB',
    many((i) => JSON.stringify({ verb: 'patch', ...TYPE, name: 'middle', patch: { status: i } }), MIB - 50),
  ),
  batch(
    'patches of a big object',
    many((i) => JSON.stringify({ verb: 'patch', ...TYPE, name: 'big', patch: { status: i } }), MIB - 50),
  ),
  list('a label selector, in (…)', `labelSelector=k+in+(${many((i) => `v${i}`, URL_MAX)})`),
  list('a label selector of many', `labelSelector=${many((i) => `k${i}`, URL_MAX)}`),
  list('a label selector of many, !=', `labelSelector=${many((i) => `k${i}!=v`, URL_MAX)}`),
  list('a field selector, in (…)', `fieldSelector=spec.tags+in+(${many((i) => `v${i}`, URL_MAX)})`),
  list('a field selector of many', `fieldSelector=${many((i) => `spec.tags!=v${i}`, URL_MAX)}`),
  list('parameters', Array.from({ length: 9_000 }, (_, i) => `a${i}=1`).join('&')),
  list('one parameter, repeated', 'a=1&'.repeat(URL_MAX / 4)),
  list('sorts', 'sort=spec.tags&'.repeat(URL_MAX / 15)),
];
