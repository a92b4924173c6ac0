/**
 * Measures how a service bears requests whose costs multiply: each attack runs on a daemon of its own, from eight
 * connections at once for some seconds, while `/livez` is asked every 20 ms. Prints the slowest answer of `/livez`, the
 * memory above idle, what the requests were answered, and whether the daemon still runs. Needs `npm run build`.
 * Usage: node test/bench/attacks.mjs [seconds=5] [name of an attack ...]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseRows } from './rows.mjs';
import { startProcess } from './daemon.mjs';
import { formatTable } from './timing.mjs';

const [given = '5', ...names] = process.argv.slice(2);
const seconds = Number(given);
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const SENDERS = 8;
/** Time after which a request has no answer. */
const ANSWER_MS = 30_000;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const WEBHOOKS = '/apis/delivery.platform.run/v1alpha1/webhooks';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const MAPS = '/api/v1/namespaces/default/configmaps';
const THINGS = '/apis/attack.example.com/v1/things';

const many = (count, value) => Array.from({ length: count }, (_, at) => value(at));
const text = (length) => 'a'.repeat(length);
const listOf = (items) => ({ type: 'array', items });
const words = (count, length = 4) => many(count, (at) => ({ enum: [`${text(length)}${at}`] }));
const PATTERN = '^[ab]*a[ab]{990}$';
const QUADRATIC = 'object.data.all(k, object.data.all(l, k != l || object.data[k] == "v"))';

/** Attacks by a model with this schema of `spec.a`, and this value: of a definition and of a plugin. */
const VALUES = {
  'a pattern and a long text': [{ type: 'string', pattern: PATTERN }, text(1_000_000)],
  'three patterns and a long text': [
    { type: 'string', allOf: many(3, (at) => ({ pattern: `^[ab]*a[ab]{${990 - at}}$` })) },
    text(1_000_000),
  ],
  'a pattern and many texts': [listOf({ type: 'string', pattern: PATTERN }), many(900, () => text(1_000))],
  'defaults and items': [
    listOf({ type: 'object', properties: { b: { type: 'string', default: text(100_000) } } }),
    many(200_000, () => ({})),
  ],
  'a long duration': [{ type: 'string', format: 'duration' }, '1'.repeat(900_000)],
  'branches and items': [listOf({ type: 'string', anyOf: words(1_000, 20) }), many(100_000, () => 'x')],
  'enums and items': [
    listOf({ type: 'string', enum: many(10_000, (at) => `${text(20)}${at}`) }),
    many(200_000, () => 'x'),
  ],
  'schemas and items': [
    listOf({ type: 'string', allOf: many(1_000, (at) => ({ maxLength: 100 + at })) }),
    many(200_000, () => 'x'),
  ],
  'unknown fields and declared ones': [
    {
      type: 'object',
      properties: Object.fromEntries(many(5_000, (at) => [`field${at}`, { type: 'string' }])),
    },
    Object.fromEntries(many(60_000, (at) => [`fiedl${at}`, 1])),
  ],
};

/** Attacks with requests of their own. */
const OTHERS = [
  {
    name: 'policies and keys',
    prepare: (send) => bindPolicies(send, 40, QUADRATIC),
    attack: (at) => ['POST', MAPS, { metadata: { name: `m${at}` }, data: keys(250) }],
  },
  {
    name: 'a policy and keys',
    prepare: (send) => bindPolicies(send, 1, QUADRATIC),
    attack: (at) => ['POST', MAPS, { metadata: { name: `m${at}` }, data: keys(640) }],
  },
  {
    name: 'policies and items of a batch',
    prepare: (send) => bindPolicies(send, 20, QUADRATIC),
    attack: (at) => [
      'POST',
      BATCHES,
      { items: many(100, (i) => ({ verb: 'create', object: configMap(`m${at}-${i}`) })) },
    ],
  },
  {
    name: 'findAll in a rule',
    prepare: (send) =>
      define(send, {
        type: 'string',
        'x-kubernetes-validations': [
          { rule: many(40, (at) => `self.findAll("[ab]*a[ab]{${at + 50}}$").size() < 9`).join(' && ') },
        ],
      }),
    attack: (at) => ['POST', THINGS, thing(at, text(30_000))],
  },
  {
    name: 'a default that came later',
    async prepare(send) {
      const item = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      await define(send, listOf(item));
      await send(
        'POST',
        THINGS,
        thing(
          'stored',
          many(60_000, () => ({})),
        ),
      );
      const found = await send('GET', `${DEFINITIONS}/things.attack.example.com`);
      const body = JSON.parse(found.text);
      body.spec.versions[0].schema = schemaOf(
        listOf({ ...item, properties: { b: { type: 'string', default: text(2_000) } } }),
      );
      await send('PUT', `${DEFINITIONS}/things.attack.example.com`, body);
    },
    attack: () => ['GET', `${THINGS}/thing-stored`],
  },
  ...[
    [
      'definitions with many patterns',
      {
        type: 'object',
        properties: fields(2_000, (at) => ({ type: 'string', pattern: `^[a-z]{${100 + (at % 800)}}(x|y)$` })),
      },
    ],
    [
      'definitions with a large alternation',
      { type: 'string', pattern: many(50_000, (at) => `w${at}`).join('|') },
    ],
    [
      'definitions with a large enum',
      { 'x-kubernetes-preserve-unknown-fields': true, enum: many(30_000, (at) => ({ b: at })) },
    ],
  ].map(([name, schema]) => ({
    name,
    attack: (at) => ['POST', DEFINITIONS, definition(schema, `w${at}`)],
  })),
  {
    name: 'managers of one object',
    async prepare(send) {
      for (let at = 0; at < 310; at++)
        await send(
          'PATCH',
          `${MAPS}/m?fieldManager=manager${at}`,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { [`k${at}`]: 'v' } },
          APPLY,
        );
    },
    attack: (at) => ['PATCH', `${MAPS}/m`, { data: { x: String(at) } }, 'application/merge-patch+json'],
  },
  {
    name: 'receivers that answer 102 for ever',
    prepare: (send) => addWebhooks(send, 10, interim()),
    attack: (at) => ['POST', MAPS, configMap(`m${at}`)],
  },
  {
    name: 'receivers that never answer',
    prepare: (send) => addWebhooks(send, 40, silent()),
    attack: (at) => [
      'PUT',
      `${MAPS}/m${at % 100}`,
      { ...configMap(`m${at % 100}`), data: { k: String(at).padEnd(100_000, 'x') } },
    ],
  },
];

const APPLY = 'application/apply-patch+yaml';

const UNEQUAL = many(100_000, (at) => ({ b: at }));

const ATTACKS = [
  ...Object.entries(VALUES).flatMap(([name, [schema, value]]) => [
    {
      name: `${name} (definition)`,
      prepare: (send) => define(send, schema),
      attack: (at) => ['POST', THINGS, thing(at, value)],
    },
    { name: `${name} (plugin)`, schema, attack: (at) => ['POST', THINGS, thing(at, value)] },
  ]),
  {
    name: 'unequal items (plugin)',
    schema: { type: 'array', uniqueItems: true },
    attack: (at) => ['POST', THINGS, thing(at, UNEQUAL)],
  },
  ...OTHERS,
];

const rows = [];
for (const attack of chooseRows(ATTACKS, names)) rows.push(await run(attack));
console.log(`${SENDERS} connections for ${seconds} s each:`);
console.log(formatTable([['attack', 'livez worst ms', 'RSS above idle MiB', 'answers', 'daemon'], ...rows]));
process.exit(0);

async function run({ name, schema, prepare, attack }) {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-attack-'));
  const plugins = path.join(directory, 'plugins');
  mkdirSync(plugins);
  if (schema !== undefined) writePlugin(path.join(plugins, 'attack'), schema);
  const flags = [
    '--port',
    '0',
    '--data-dir',
    path.join(directory, 'data'),
    '--plugins',
    plugins,
    '--log-level',
    'error',
  ];
  const daemon = await startProcess(
    [BIN, 'serve', ...flags, '--kubernetes', 'full', '--webhook-allow', '127.0.0.1'],
    {},
  );
  const send = senderTo(daemon.url);
  await prepare?.(async (...sent) => {
    const answer = await send(...sent);
    if (answer.status >= 400)
      throw new Error(`${name}: ${sent[1]}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer;
  });
  await sleep(1_000);
  const idle = daemon.rssBytes();
  const answers = new Map();
  let worst = 0;
  let peak = idle;
  let isOver = false;
  let count = 0;
  const end = performance.now() + seconds * 1000;
  const attackers = many(SENDERS, async () => {
    while (performance.now() < end && !isOver) {
      const { status } = await send(...attack(count++)).catch((error) => ({ status: error.code }));
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (typeof status !== 'number') return;
    }
  });
  const watch = (async () => {
    while (!isOver) {
      const began = performance.now();
      const { status } = await send('GET', '/livez').catch((error) => ({ status: error.code }));
      worst = Math.max(worst, performance.now() - began);
      if (status !== 200) return 'ended';
      peak = Math.max(peak, daemon.rssBytes());
      await sleep(20);
    }
    return 'runs';
  })();
  await Promise.all(attackers);
  isOver = true;
  const state = await watch;
  if (state === 'runs') await daemon.stop();
  rmSync(directory, { recursive: true, force: true });
  const row = [
    name,
    worst.toFixed(0),
    ((peak - idle) / 2 ** 20).toFixed(0),
    [...answers].map(([status, times]) => `${times} × ${status}`).join(', '),
    state,
  ];
  console.error(row.join(' | '));
  return row;
}

function senderTo(base) {
  const agent = new Agent({ keepAlive: true });
  return (method, url, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const sent = request(
        base + url,
        { method, agent, headers: body === undefined ? {} : { 'content-type': type } },
        (answer) => {
          let received = '';
          answer
            .setEncoding('utf8')
            .on('data', (data) => (received.length < 1_000_000 ? (received += data) : undefined));
          answer.once('end', () => resolve({ status: answer.statusCode, text: received }));
          answer.once('error', reject);
        },
      );
      sent.once('error', reject);
      sent.setTimeout(ANSWER_MS, () => sent.destroy(new Error(`no answer to ${method} ${url}`)));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function fields(count, schema) {
  return Object.fromEntries(many(count, (at) => [`f${at}`, schema(at)]));
}

function keys(count) {
  return Object.fromEntries(many(count, (at) => [`k${at}`, 'v']));
}

function configMap(name) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: keys(100) };
}

function thing(at, a) {
  return {
    apiVersion: 'attack.example.com/v1',
    kind: 'Thing',
    metadata: { name: `thing-${at}` },
    spec: { a },
  };
}

function schemaOf(a) {
  return { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a } } } } };
}

function definition(a, name = 'thing') {
  const group = 'attack.example.com';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: name[0].toUpperCase() + name.slice(1), plural: `${name}s`, singular: name },
      versions: [{ name: 'v1', served: true, storage: true, schema: schemaOf(a) }],
    },
  };
}

async function define(send, a) {
  await send('POST', DEFINITIONS, definition(a));
  for (let status = 404; status === 404; await sleep(20))
    ({ status } = await send('GET', THINGS).catch(() => ({ status: 404 })));
}

async function bindPolicies(send, count, expression) {
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
  ];
  for (let at = 0; at < count; at++) {
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression }] };
    await send('POST', POLICIES, { metadata: { name: `p${at}` }, spec });
    await send('POST', BINDINGS, {
      metadata: { name: `b${at}` },
      spec: { policyName: `p${at}`, validationActions: ['Deny'] },
    });
  }
}

async function addWebhooks(send, count, port) {
  for (let at = 0; at < count; at++)
    await send('POST', WEBHOOKS, {
      metadata: { name: `w${at}` },
      spec: { url: `http://127.0.0.1:${await port}/${at}`, models: [{ group: '', kind: 'ConfigMap' }] },
    });
  for (let at = 0; at < 100; at++) await send('POST', MAPS, configMap(`m${at}`)).catch(() => undefined);
}

/** The port of a receiver that sends heads of interim answers as fast as they are read. */
function interim() {
  const heads = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_000);
  return listen((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(heads));
    };
    socket.on('drain', more);
    more();
  });
}

function silent() {
  return listen((socket) => socket.resume());
}

function listen(onSocket) {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1', () => resolve(server.address().port)).unref();
  });
}

function writePlugin(directory, schema) {
  mkdirSync(directory);
  const manifest =
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata:\n  name: attack\nspec:\n  version: 1.0.0\n';
  writeFileSync(path.join(directory, 'plugin.yaml'), manifest);
  const spec = { type: 'object', properties: { a: schema } };
  const lines = [
    "import { AbstractExtension, BasePlugin, GVK } from 'xsvc';",
    'class Thing extends AbstractExtension {',
    `  static schema = ${JSON.stringify({ type: 'object', properties: { spec } })};`,
    '}',
    "GVK({ group: 'attack.example.com', version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })(Thing);",
    'export default class Attack extends BasePlugin {',
    '  start() {',
    '    this.ctx.schemeManager.register(Thing);',
    '  }',
    '}',
  ];
  writeFileSync(path.join(directory, 'index.js'), lines.join('\n'));
}
