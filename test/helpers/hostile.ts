import { putFiles } from './cli.js';

const MARKUP = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';
const BREAKS = '"></textarea></script><svg onload=window.broken=1>';
const TEMPLATES =
  '{{constructor.constructor("window.broken=1")()}} ${window.broken=1} #{7*7} %s %d [x](javascript:window.broken=1)';
const BACKWARDS = '\u202Egnp.exe\u202C \u200F\u2067עברית\u2069 العربية';
const PICTURES = '👩‍👩‍👧‍👦🏳️‍🌈é\u0301\u0301\u0301\uFFFF\u{10FFFF}';
const CONTROL = 'tab\tnull\u0000bell\u0007esc\u001b[31mred\u0085\u2028\u2029end';
export const LONG_WORD = 'W'.repeat(10_000);

/** Texts that must do no harm in any output of the service. */
export const HOSTILE_TEXTS = [
  MARKUP,
  BREAKS,
  TEMPLATES,
  BACKWARDS,
  PICTURES,
  CONTROL,
  LONG_WORD,
  '',
  ' ',
  'javascript:window.broken=1',
];

/** Names of fields and keys that objects of JavaScript have, and others that are hard to show. */
export const HOSTILE_NAMES = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'a.b[0]',
  'with space',
  MARKUP,
  TEMPLATES,
  BACKWARDS,
  '1',
];

const GROUP = 'hostile.example.com';
export const LONGEST_PLURAL = 'p'.repeat(63);
/** The plurals of the models there are. */
export const HOSTILE_PLURALS = ['traps', 'constructor', 'x', LONGEST_PLURAL];
export const hostilePath = (plural: string): string => `/apis/${GROUP}/v1/${plural}`;
export const TRAPS = hostilePath('traps');
export const hostileList = (plural: string): string => `#/models/${GROUP}/v1/${plural}`;

const described = (type: string, i: number, more: object = {}): object => ({
  type,
  description: HOSTILE_TEXTS[i % HOSTILE_TEXTS.length],
  ...more,
});

const SPEC = {
  type: 'object',
  description: MARKUP,
  properties: {
    text: described('string', 0, { example: MARKUP }),
    choice: described('string', 1, { enum: HOSTILE_TEXTS.slice(0, 6) }),
    preset: described('string', 2, { default: TEMPLATES }),
    number: described('number', 3),
    whole: described('integer', 4),
    at: described('string', 5, { format: 'date-time' }),
    day: described('string', 6, { format: 'date' }),
    yes: described('boolean', 0),
    list: described('array', 1, { items: described('string', 2) }),
    groups: described('array', 1, {
      items: described('object', 0, { properties: { a: { type: 'string' } } }),
    }),
    map: described('object', 3, { additionalProperties: { type: 'string' } }),
    nested: described('object', 4, {
      properties: { inner: described('string', 5), constructor: described('string', 1) },
    }),
    valueOf: described('object', 4, { properties: { a: { type: 'string' } } }),
    ...Object.fromEntries(HOSTILE_NAMES.map((name, i) => [name, described('string', i)])),
  },
};

/** Writes a plugin whose models, messages, events and controllers say hostile things. */
export function putHostile(cwd: string): Promise<void> {
  const quoted = (value: unknown): string => JSON.stringify(value);
  return putFiles(cwd, {
    'plugins/hostile/plugin.yaml': quoted({
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'Plugin',
      metadata: { name: 'hostile', labels: { 'hostile.example.com/toString': 'valueOf' } },
      spec: {
        version: '1.0.0',
        displayName: MARKUP,
        description: LONG_WORD,
        author: { name: BREAKS, website: 'javascript:window.broken=1' },
      },
    }),
    'plugins/hostile/index.mjs': `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
const NAMES = { group: ${quoted(GROUP)}, version: 'v1' };
class Trap extends AbstractExtension {
  static schema = ${quoted({
    type: 'object',
    properties: { spec: SPEC, status: { type: 'object' } },
    'x-kubernetes-validations': [
      { rule: '!has(self.spec) || !has(self.spec.text) || self.spec.text != "refused"', message: MARKUP },
    ],
  })};
  static columns = ${quoted([
    { name: MARKUP, jsonPath: '.spec.text', type: 'string' },
    { name: 'constructor', jsonPath: '.spec.number', type: 'number' },
    { name: BACKWARDS, jsonPath: '.spec.choice', type: 'string' },
  ])};
}
GVK({ ...NAMES, kind: 'Trap', plural: 'traps', singular: 'trap' })(Trap);
const others = ${quoted(HOSTILE_PLURALS.slice(1))}.map((plural, i) => {
  class Other extends AbstractExtension { static schema = { type: 'object', properties: { spec: { type: 'object' } } }; }
  GVK({ ...NAMES, kind: 'Other' + i, plural, singular: plural })(Other);
  return Other;
});
let context;
export default class Main extends BasePlugin {
  start() {
    context = this.ctx;
    this.ctx.schemeManager.register(Trap, (specs) => {
      specs.add(IndexSpecs.single('spec.text', 'string').indexFunc((o) => o.spec?.text?.slice(0, 200)));
      specs.add(IndexSpecs.single('spec.number', 'number').indexFunc((o) => o.spec?.number));
      specs.add(IndexSpecs.multi('spec.list', 'string').indexFunc((o) => (o.spec?.list ?? []).map((one) => one.slice(0, 200))));
    }, { validate: (object) => object.spec?.text === 'wrong' ? [{ field: 'spec.text', message: ${quoted(BREAKS + CONTROL)} }] : [] });
    for (const Other of others) this.ctx.schemeManager.register(Other);
  }
}
const TEXTS = ${quoted(HOSTILE_TEXTS)};
export class Talker {
  async reconcile({ name }) {
    const trap = await context.client.fetch(Trap, name);
    if (trap === undefined) return;
    const said = TEXTS[name.length % TEXTS.length] || 'said';
    context.events.record(trap, 'Warning', 'constructor', said.slice(0, 1000));
    if (name.startsWith('failing')) throw new Error(said);
  }
  setupWith(builder) { return builder.extension(Trap).build(); }
}
`,
    'plugins/failed/plugin.yaml': quoted({
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'Plugin',
      metadata: { name: 'failed' },
      spec: { version: '1.0.0', displayName: BACKWARDS },
    }),
    'plugins/failed/index.mjs': `import { BasePlugin } from 'xsvc';
export default class Main extends BasePlugin { start() { throw new Error(${quoted(MARKUP + BREAKS + LONG_WORD)}); } }
`,
  });
}

/** A value that is so many objects deep. */
export function deep(levels: number): object {
  let value: object = { end: MARKUP };
  for (let i = 0; i < levels; i++) value = { down: value };
  return value;
}

/** Objects of the model `traps`. */
export function traps(): readonly object[] {
  const spec = { number: 1 };
  const annotations = Object.fromEntries([
    ...['constructor', 'toString', 'valueOf'].map((key) => [key, MARKUP] as const),
    ...HOSTILE_TEXTS.map((value, i) => [`hostile.example.com/n${i}`, value] as const),
  ]);
  const named = (name: string, given: object, metadata: object = {}): object => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Trap',
    metadata: { name, ...metadata },
    ...given,
  });
  const status = {
    phase: MARKUP,
    conditions: [
      {
        type: 'constructor',
        status: 'True',
        reason: MARKUP,
        message: LONG_WORD,
        lastTransitionTime: 'never',
      },
      { type: MARKUP, status: 'toString', lastTransitionTime: '9999-12-31T23:59:59.999Z' },
      {},
    ],
  };
  return [
    ...HOSTILE_TEXTS.map((text, i) =>
      named(
        `text-${i}`,
        { spec: { ...spec, text, list: [text, MARKUP], map: { [text]: text } }, status },
        { annotations },
      ),
    ),
    named('constructor', { spec: { ...spec, constructor: 'own', nested: { constructor: 'own' } } }),
    named('0', { spec: {} }),
    named(
      'n'.repeat(253),
      { spec },
      { labels: { 'hostile.example.com/toString': 'constructor', constructor: 'valueOf' } },
    ),
    named('empty', {}),
    named('failing-a', { spec }, { finalizers: ['hostile.example.com/never'] }),
    named('numbers', { spec: { number: 1e308, whole: Number.MAX_SAFE_INTEGER, tiny: 5e-324, minus: -0 } }),
    named('dates', { spec: { at: '9999-12-31T23:59:59Z', day: '0001-01-01' } }),
    named('deep', { spec: { ...spec, below: deep(90) } }),
    named('wide', {
      spec: { ...spec, ...Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i])) },
    }),
    named('many', { spec: { ...spec, list: Array.from({ length: 5_000 }, (_, i) => `item ${i}`) } }),
    named('holes', { spec: { ...spec, none: null, nothing: {}, nobody: [], of: [[], {}, null, [null]] } }),
  ];
}
