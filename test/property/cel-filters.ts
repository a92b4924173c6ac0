import { Environment } from '@marcbachmann/cel-js';
import { expect } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import type { BatchItem } from '../../src/service/verbs.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { Random } from '../helpers/seed.js';
import { openTestService } from '../helpers/store.js';
import { LABEL_KEYS, LABEL_VALUES, randomDraft, randomName, randomScalar } from './generate.js';
import { CREATED, FIELDS, NAME, type Field } from './naive.js';

/** The same question twice. */
interface Expression {
  /** As a filter: what is compared with an absent value is false, `!=` is true. */
  readonly text: string;
  /** The same for CEL, to which an absent value is an error: each comparison asks first whether there is one. */
  readonly guarded: string;
}

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
const FLIPPED = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
const NUMERALS = [
  '0',
  '2',
  '-7',
  '256',
  '2147483648',
  '9007199254740993',
  '0.5',
  '-0.0',
  '1e3',
  '-2.5',
  '1e300',
];
const MULTI: ReadonlySet<string> = new Set(
  ['tags', 'ages', 'serials', 'scores', 'flags', 'visits'].map((name) => `spec.${name}`),
);

/** The library orders texts by UTF-16 units and not by code points: these are the same without surrogates. */
function text(random: Random): string {
  return String(randomScalar(random, 'string')).replace(/[\ud800-\udfff]/g, 'é');
}

function quoted(value: string): string {
  const escaped = Array.from(value, (char) =>
    char < ' ' ? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}` : char.replace(/["\\]/, '\\$&'),
  );
  return `"${escaped.join('')}"`;
}

function literal(random: Random, field: Field): string {
  switch (field.kind) {
    case 'string':
      return quoted(field === NAME ? randomName(random, 100) : text(random));
    case 'boolean':
      return String(randomScalar(random, 'boolean'));
    case 'instant':
      return time(random);
    case 'long':
      return random.chance(0.3) ? random.pick(NUMERALS) : String(randomScalar(random, 'long'));
    default: {
      const value = Number(randomScalar(random, field.kind));
      return random.chance(0.3) ? random.pick(NUMERALS) : Object.is(value, -0) ? '-0.0' : String(value);
    }
  }
}

function time(random: Random): string {
  if (random.chance(0.2)) return `now - duration("${random.pick([1, 24])}h")`;
  const shift = random.chance(0.3) ? ` + duration("${random.pick(['90m', '36h', '0.5h'])}")` : '';
  return `timestamp("${String(randomScalar(random, 'instant'))}")${shift}`;
}

/** A test of one value, which is there. */
function valueTest(
  random: Random,
  field: Field,
  subject: string,
): { readonly text: string; readonly isNot: boolean } {
  const kind = random.below(field.kind === 'string' ? 4 : 2);
  if (kind === 0) {
    const wanted = random.many(0, 3, () => literal(random, field));
    return { text: `${subject} in [${wanted.join(', ')}]`, isNot: false };
  }
  if (kind === 1) {
    const operator = random.pick(OPERATORS);
    const wanted = literal(random, field);
    const isNot = operator === '!=';
    if (random.chance(0.7)) return { text: `${subject} ${operator} ${wanted}`, isNot };
    return { text: `${wanted} ${FLIPPED[operator]} ${subject}`, isNot };
  }
  const whole = Array.from(text(random));
  const part = whole.slice(random.below(whole.length + 1), random.below(whole.length + 1)).join('');
  const call = random.pick(['startsWith', 'endsWith', 'contains']);
  return { text: `${subject}.${call}(${quoted(part)})`, isNot: false };
}

/** A tree of tests of a value among several. */
function innerTest(random: Random, field: Field, depth: number): string {
  if (depth === 0 || random.chance(0.4)) return valueTest(random, field, 'x').text;
  const [one, other] = [innerTest(random, field, depth - 1), innerTest(random, field, depth - 1)];
  return random.pick([`!(${one})`, `(${one}) && (${other})`, `(${one} || ${other})`]);
}

function fieldTest(random: Random): Expression {
  const field = random.chance(0.1) ? random.pick([NAME, CREATED]) : random.pick(FIELDS);
  const { name, kind } = field;
  const isMulti = MULTI.has(name);
  const guard = isMulti ? `(has(${name}) && size(${name}) > 0)` : `has(${name})`;
  if (random.chance(0.15)) return { text: `has(${name})`, guarded: guard };
  if (isMulti) {
    const one = random.chance(0.5)
      ? `${literal(random, field)} in ${name}`
      : `${name}.exists(x, ${innerTest(random, field, 2)})`;
    return { text: one, guarded: `(${guard} && ${one})` };
  }
  if (kind === 'boolean' && random.chance(0.3)) return { text: name, guarded: `(${guard} && ${name})` };
  const test = valueTest(random, field, name);
  return {
    text: test.text,
    guarded: test.isNot ? `(!${guard} || ${test.text})` : `(${guard} && ${test.text})`,
  };
}

function labelTest(random: Random): Expression {
  const key = quoted(random.pick(LABEL_KEYS));
  const subject = `metadata.labels[${key}]`;
  const guard = `${key} in metadata.labels`;
  if (random.chance(0.25)) return { text: guard, guarded: `(${guard})` };
  const operator = random.pick(OPERATORS);
  const values = random.many(1, 3, () => quoted(random.pick([...LABEL_VALUES, 'zz', 'ol'])));
  const [value = '""'] = values;
  const [test, isNot] = random.pick<readonly [string, boolean]>([
    [`${subject} ${operator} ${value}`, operator === '!='],
    [`${subject} in [${values.join(', ')}]`, false],
    [`${subject}.contains(${value})`, false],
  ]);
  return { text: test, guarded: isNot ? `(!(${guard}) || ${test})` : `(${guard} && ${test})` };
}

function expression(random: Random, depth = 3): Expression {
  if (depth === 0 || random.chance(0.4)) return random.chance(0.2) ? labelTest(random) : fieldTest(random);
  if (random.chance(0.25)) {
    const inner = expression(random, depth - 1);
    return { text: `!(${inner.text})`, guarded: `!(${inner.guarded})` };
  }
  const parts = random.many(2, 3, () => expression(random, depth - 1));
  const operator = random.chance(0.5) ? ' && ' : ' || ';
  const joined = (form: keyof Expression): string => parts.map((part) => `(${part[form]})`).join(operator);
  return { text: joined('text'), guarded: joined('guarded') };
}

const CEL = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });

/** An object as CEL sees it: whole numbers are ints, and times are times. */
function typed(object: ExtensionObject): Record<string, unknown> {
  const spec: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const values = field.read(object).map((value) => {
      if (field.kind === 'integer' || field.kind === 'long') return BigInt(value);
      return field.kind === 'instant' ? new Date(String(value)) : value;
    });
    const isStated = Object.hasOwn(object.spec as object, field.name.slice('spec.'.length));
    if (isStated) spec[field.name.slice('spec.'.length)] = MULTI.has(field.name) ? values : values[0];
  }
  const { name, labels = {}, creationTimestamp } = object.metadata;
  return { metadata: { name, labels, creationTimestamp: new Date(creationTimestamp) }, spec };
}

const OBJECTS = 60;

/** Stores random objects, asks random filters, and compares each answer with what the library says of each object. */
export async function checkFilters(seed: number, lists: number): Promise<void> {
  const random = new Random(seed);
  const t = await openTestService();
  try {
    await registerModels(t);
    const items = Array.from({ length: OBJECTS }, (_, i): BatchItem => {
      const draft = JSON.stringify(randomDraft(random, `p${i.toString(36)}`));
      const object: unknown = JSON.parse(draft.replace(/[\ud800-\udfff]/g, 'é'));
      return { verb: 'create', resource: PERSON, object };
    });
    const stored = (await t.service.batch(items)).items.map(({ object }) => object);
    const known = stored.map((object) => ({ name: object.metadata.name, value: typed(object) }));
    for (let i = 0; i < lists; i++) {
      const { text: filter, guarded } = expression(random);
      const now = new Date();
      const holds = CEL.parse(guarded);
      const wanted = known.filter(({ value }) => holds({ ...value, now }) === true).map(({ name }) => name);
      const where = `SEED=${seed}, list ${i}: ${filter}`;
      const { items: found, total } = await t.service.list(PERSON, { filter });
      expect(
        found.map(({ metadata }) => metadata.name),
        where,
      ).toEqual(wanted.sort());
      expect(total, where).toBe(wanted.length);
    }
  } finally {
    await t.close();
  }
}
