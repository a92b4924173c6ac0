import type { Condition, Scalar } from '../../src/query/condition.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { VALUE_BYTES_MAX } from '../../src/store/index/keys.js';
import { Queries } from '../../src/query/condition-builders.js';
import type { ObjectDraft } from '../../src/model/object.js';
import type { PersonSpec } from '../helpers/models.js';
import type { Random } from '../helpers/seed.js';
import { CREATED, FIELDS, NAME, type Field, type Sort } from './naive.js';

const K = 'k'.repeat(VALUE_BYTES_MAX - 1);

/** Texts whose order, length, escapes or spelling are a trap. */
const TEXTS: readonly string[] = [
  '',
  'a',
  'A',
  'ab',
  'abc',
  'a\0',
  'a\0b',
  'a\0\0',
  '\0',
  'b',
  'a,b',
  'a=b',
  '(a)',
  'a\\b',
  'é',
  'É',
  '\uffff',
  '\u{10000}',
  '😀',
  '😀😀',
  K,
  `${K}k`,
  `${K}\0`,
  `${K}\0b`,
  `${K}\0\0`,
  `${K}\u0001`,
  `${K}ka`,
  `${K}kb`,
  `${K}k\0`,
  `${K}${K}x`,
  `${K}${K}y`,
  `${K}é`,
  'é'.repeat(VALUE_BYTES_MAX),
  `${'é'.repeat(VALUE_BYTES_MAX)}a`,
  '\0'.repeat(VALUE_BYTES_MAX / 2),
  '\0'.repeat(VALUE_BYTES_MAX / 2 + 1),
];
const INTEGERS = [-2147483648, -7, -1, 0, 1, 2, 10, 255, 256, 2147483647];
const LONGS = [
  '-9223372036854775808',
  '-9007199254740993',
  '-1',
  '0',
  '5',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
];
const NUMBERS = [-1e300, -2.5, -1, -5e-324, -0, 0, 5e-324, 0.1, 1, 2, 2.5, 1e300];
const INSTANTS = [
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
  '1970-01-01T01:00:00+01:00',
  '2000-02-29T12:00:00.500Z',
  '2000-02-29T12:00:00.501Z',
  '0001-01-01T00:00:00Z',
  '2999-12-31T23:59:59.999Z',
];
export const LABEL_KEYS = ['tier', 'tie', 'example.com/team'] as const;
export const LABEL_VALUES = ['', 'a', 'b', 'gold', 'A'];

export function randomName(random: Random, names: number): string {
  return `p${random.below(names).toString(36)}`;
}

/** Values of one kind; some are much more frequent than others, so that there are long runs of ties. */
export function randomScalar(random: Random, kind: Field['kind']): string | number | boolean {
  const from = <T>(choices: readonly T[]): T =>
    random.chance(0.3) ? random.pick(choices.slice(-3)) : random.pick(choices);
  switch (kind) {
    case 'string':
      return random.chance(0.35) ? `${K}k` : from(TEXTS);
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return from(INTEGERS);
    case 'long':
      return from(LONGS);
    case 'number':
      return from(NUMBERS);
    case 'instant':
      return from(INSTANTS);
  }
}

const MULTI: ReadonlySet<string> = new Set(['tags', 'ages', 'serials', 'scores', 'flags', 'visits']);

export function randomSpec(random: Random): PersonSpec {
  const spec: Record<string, unknown> = {};
  for (const { name, kind } of FIELDS) {
    const key = name.slice('spec.'.length);
    if (random.chance(0.3)) continue;
    spec[key] = MULTI.has(key)
      ? random.many(0, 3, () => randomScalar(random, kind))
      : randomScalar(random, kind);
  }
  return spec;
}

export function randomDraft(random: Random, name: string): ObjectDraft {
  const keys = random.many(0, 2, () => random.pick(LABEL_KEYS));
  const labels = Object.fromEntries(keys.map((key) => [key, random.pick(LABEL_VALUES)]));
  return { metadata: { name, labels }, spec: randomSpec(random) };
}

// ---- conditions ----------------------------------------------------------------------------------------

function randomField(random: Random): Field {
  return random.chance(0.1) ? random.pick([NAME, CREATED]) : random.pick(FIELDS);
}

function randomWanted(random: Random, { name, kind }: Field): Scalar {
  if (name === NAME.name) return randomName(random, 100);
  const value = randomScalar(random, kind);
  if (kind === 'instant' && random.chance(0.3)) return new Date(String(value));
  return kind === 'long' && random.chance(0.3) ? BigInt(value) : value;
}

export function randomCondition(random: Random, depth = 3): Condition {
  if (depth > 0 && random.chance(0.5)) {
    const parts = (): Condition[] => random.many(0, 3, () => randomCondition(random, depth - 1));
    const kind = random.below(3);
    if (kind === 0) return Queries.and(...parts());
    return kind === 1 ? Queries.or(...parts()) : Queries.not(randomCondition(random, depth - 1));
  }
  return random.chance(0.2) ? labelCondition(random) : fieldCondition(random);
}

function labelCondition(random: Random): Condition {
  const key = random.pick(LABEL_KEYS);
  const kind = random.below(3);
  if (kind === 0) return Queries.labelExists(key);
  if (kind === 1) return Queries.labelEqual(key, random.pick(LABEL_VALUES));
  return Queries.labelIn(
    key,
    random.many(0, 3, () => random.pick(LABEL_VALUES)),
  );
}

function fieldCondition(random: Random): Condition {
  const field = randomField(random);
  const { name } = field;
  const value = (): Scalar => randomWanted(random, field);
  const kinds = field.kind === 'string' ? 9 : 7;
  switch (random.below(kinds)) {
    case 0:
      return Queries.equal(name, value());
    case 1:
      return Queries.notEqual(name, value());
    case 2:
      return Queries.in(name, random.many(0, 4, value));
    case 3:
      return random.chance(0.5) ? Queries.isNull(name) : Queries.isNotNull(name);
    case 4:
      return Queries.greaterThan(name, value(), random.chance(0.5));
    case 5:
      return Queries.lessThan(name, value(), random.chance(0.5));
    case 6:
      return Queries.between(name, value(), random.chance(0.5), value(), random.chance(0.5));
    default:
      return textCondition(random, name);
  }
}

function textCondition(random: Random, name: string): Condition {
  const whole = Array.from(String(randomScalar(random, 'string')));
  const from = random.chance(0.5) ? 0 : random.below(whole.length + 1);
  const text = whole.slice(from, random.chance(0.5) ? whole.length : random.below(whole.length + 1)).join('');
  const options = { ignoreCase: random.chance(0.3) };
  const op = random.pick(['startsWith', 'endsWith', 'contains'] as const);
  return Queries[op](name, text, options);
}

// ---- selectors -----------------------------------------------------------------------------------------

/** A selector's text and what it means. */
interface Requirement {
  readonly text: string;
  readonly means: Condition;
}

function labelRequirement(random: Random): Requirement {
  const key = random.pick(LABEL_KEYS);
  const value = random.pick(LABEL_VALUES);
  const values = random.many(1, 3, () => random.pick(LABEL_VALUES.filter((one) => one !== '')));
  return random.pick<Requirement>([
    { text: key, means: Queries.labelExists(key) },
    { text: `!${key}`, means: Queries.not(Queries.labelExists(key)) },
    { text: `${key}=${value}`, means: Queries.labelEqual(key, value) },
    { text: `${key} != ${value}`, means: Queries.not(Queries.labelEqual(key, value)) },
    { text: `${key} in (${values.join(', ')})`, means: Queries.labelIn(key, values) },
    { text: `${key} notin (${values.join(',')})`, means: Queries.not(Queries.labelIn(key, values)) },
  ]);
}

function escaped(value: string): string {
  return value.replace(/[\\,=()]/g, (character) => `\\${character}`);
}

function fieldRequirement(random: Random): Requirement {
  const field = randomField(random);
  const { name } = field;
  const value = (): string => {
    for (;;) {
      const wanted = randomWanted(random, field);
      const text = wanted instanceof Date ? wanted.toISOString() : String(wanted);
      // A selector is text that people type.
      if (text !== '' && !text.includes('\0') && !text.includes('\u0001')) return text;
    }
  };
  const one = value();
  const many = random.many(1, 3, value);
  const list = many.map(escaped).join(',');
  return random.pick<Requirement>([
    { text: `${name}=${escaped(one)}`, means: Queries.equal(name, one) },
    { text: `${name} != ${escaped(one)}`, means: Queries.notEqual(name, one) },
    { text: `${name}=(${list})`, means: Queries.in(name, many) },
    { text: `${name} notin (${list})`, means: Queries.not(Queries.in(name, many)) },
    { text: name, means: Queries.isNotNull(name) },
    { text: `!${name}`, means: Queries.isNull(name) },
    { text: `${name} > ${escaped(one)}`, means: Queries.greaterThan(name, one) },
    { text: `${name}>=${escaped(one)}`, means: Queries.greaterThan(name, one, true) },
    { text: `${name}<${escaped(one)}`, means: Queries.lessThan(name, one) },
    { text: `${name} <=${escaped(one)}`, means: Queries.lessThan(name, one, true) },
  ]);
}

// ---- requests ------------------------------------------------------------------------------------------

export interface RandomRequest {
  readonly options: ListOptions;
  /** The combined condition of its selectors and its query. */
  readonly means: Condition;
  readonly sorts: readonly Sort[];
  readonly page: number;
  readonly size: number;
}

export function randomRequest(random: Random): RandomRequest {
  const labels = random.chance(0.25) ? random.many(1, 2, () => labelRequirement(random)) : [];
  const fields = random.chance(0.3) ? random.many(1, 2, () => fieldRequirement(random)) : [];
  const query = random.chance(0.6) ? randomCondition(random) : undefined;
  const sorts = randomSorts(random);
  const size = random.pick([0, 0, 1, 2, 7, 1000]);
  const page = random.chance(0.6) ? 1 : 1 + random.below(5);
  const conditions = [...labels, ...fields].map(({ means }) => means);
  return {
    options: {
      ...(labels.length === 0 ? {} : { labelSelector: joined(random, labels) }),
      ...(fields.length === 0 ? {} : { fieldSelector: joined(random, fields) }),
      ...(query === undefined ? {} : { query }),
      sort: sorts.map(({ field, direction }) => `${field},${direction}`),
      page,
      size,
    },
    means: Queries.and(...conditions, ...(query === undefined ? [] : [query])),
    sorts,
    page,
    size,
  };
}

function joined(random: Random, requirements: readonly Requirement[]): string | string[] {
  const texts = requirements.map(({ text }) => text);
  return random.chance(0.5) ? texts : texts.join(',');
}

function randomSorts(random: Random): Sort[] {
  const several = random.pick([0, 1, 1, 1, 2, 3]);
  const fields = random.many(several, several, () => randomField(random).name);
  return [...new Set(fields)].map((field) => ({ field, direction: random.pick(['asc', 'desc'] as const) }));
}
