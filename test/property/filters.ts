import type { ExtensionObject } from '../../src/model/object.js';
import type { Random } from '../helpers/seed.js';
import { LABEL_KEYS, LABEL_VALUES, randomName, randomScalar } from './generate.js';
import { CREATED, FIELDS, NAME, type Field } from './naive.js';

/** A filter's text, and what it means for one object, written without any of the code under test. */
export interface RandomFilter {
  readonly text: string;
  readonly holds: (object: ExtensionObject) => boolean;
}

/** A value of a field: text, boolean, number, whole number, or milliseconds. */
type Plain = string | boolean | number | bigint;

/** The condition of a filter on one value. */
interface ValueTest {
  readonly text: string;
  readonly holds: (value: Plain) => boolean;
}

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
type Operator = (typeof OPERATORS)[number];
const FLIPPED: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const HOUR_MS = 3_600_000;
const INTEGERS = ['0', '1', '2', '-7', '256', '2147483648', '-2147483649', '9007199254740993'];
const DOUBLES = ['0.5', '-0.0', '1e3', '-2.5', '2.0', '1e300', '-1e300', '.1', '2147483647.5', '5e-324'];

function compare(a: Plain, b: Plain): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function meets(operator: Operator, a: Plain, b: Plain): boolean {
  const order = compare(a, b);
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

function plain(kind: Field['kind'], value: string | number | boolean): Plain {
  if (kind === 'long') return BigInt(value);
  return kind === 'instant' ? Date.parse(String(value)) : value;
}

function quoted(random: Random, value: string): string {
  const quote = random.pick(['"', "'"]);
  const escaped = Array.from(value, (char) => {
    if (char === quote || char === '\\') return `\\${char}`;
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20) return `\\x${code.toString(16).padStart(2, '0')}`;
    if (random.chance(0.05)) return `\\U${code.toString(16).padStart(8, '0')}`;
    return char;
  });
  return `${quote}${escaped.join('')}${quote}`;
}

interface Literal {
  readonly text: string;
  readonly value: () => Plain;
}

function literal(random: Random, field: Field): Literal {
  const { kind } = field;
  const scalar = field === NAME ? randomName(random, 100) : randomScalar(random, kind);
  const known = plain(kind, scalar);
  const value = (): Plain => known;
  if (kind === 'string') return { text: quoted(random, String(scalar)), value };
  if (kind === 'boolean') return { text: String(scalar), value };
  if (kind === 'instant') return time(random, String(scalar));
  if (kind === 'long' && random.chance(0.2)) return { text: quoted(random, String(scalar)), value };
  if (random.chance(0.4)) {
    const text = random.pick(random.chance(0.5) ? INTEGERS : DOUBLES);
    const number = /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
    return { text, value: () => number };
  }
  return { text: typeof scalar === 'string' ? scalar : numberText(Number(scalar)), value };
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value);
}

function time(random: Random, text: string): Literal {
  const hours = random.pick([1, 36, -48, 0.5]);
  const shift = random.chance(0.3)
    ? { text: ` ${hours < 0 ? '-' : '+'} duration("${Math.abs(hours)}h")`, ms: hours * HOUR_MS }
    : { text: '', ms: 0 };
  if (random.chance(0.3)) {
    const back = random.pick([1, 24]);
    return { text: `now - duration('${back * 60}m')`, value: () => Date.now() - back * HOUR_MS };
  }
  const at = Date.parse(text) + shift.ms;
  return { text: `timestamp("${text}")${shift.text}`, value: () => at };
}

function valueTest(random: Random, field: Field, subject: string): ValueTest {
  const kind = random.below(field.kind === 'string' ? 4 : 2);
  if (kind === 0) {
    const wanted = random.many(0, 3, () => literal(random, field));
    return {
      text: `${subject} in [${wanted.map(({ text }) => text).join(', ')}]`,
      holds: (value) => wanted.some((one) => compare(value, one.value()) === 0),
    };
  }
  if (kind === 1) {
    const operator = random.pick(OPERATORS);
    const wanted = literal(random, field);
    const text = random.chance(0.7)
      ? `${subject} ${operator} ${wanted.text}`
      : `${wanted.text}${FLIPPED[operator]}${subject}`;
    return { text, holds: (value) => meets(operator, value, wanted.value()) };
  }
  return textTest(random, subject, () => String(randomScalar(random, 'string')));
}

function textTest(random: Random, subject: string, value: () => string): ValueTest {
  const whole = Array.from(value());
  const from = random.chance(0.5) ? 0 : random.below(whole.length + 1);
  const part = whole.slice(from, random.chance(0.5) ? whole.length : random.below(whole.length + 1)).join('');
  const call = random.pick(['startsWith', 'endsWith', 'contains'] as const);
  return {
    text: `${subject}.${call}(${quoted(random, part)})`,
    holds: (own) => String(own)[call === 'contains' ? 'includes' : call](part),
  };
}

/** A tree of tests of one value, as `exists` has. */
function nestedTest(random: Random, field: Field, depth: number): ValueTest {
  if (depth === 0 || random.chance(0.4)) return valueTest(random, field, 'x');
  const one = nestedTest(random, field, depth - 1);
  const other = nestedTest(random, field, depth - 1);
  switch (random.below(3)) {
    case 0:
      return { text: `!(${one.text})`, holds: (value) => !one.holds(value) };
    case 1:
      return {
        text: `(${one.text}) && (${other.text})`,
        holds: (value) => one.holds(value) && other.holds(value),
      };
    default:
      return {
        text: `(${one.text} || ${other.text})`,
        holds: (value) => one.holds(value) || other.holds(value),
      };
  }
}

const MULTI: ReadonlySet<string> = new Set(
  ['tags', 'ages', 'serials', 'scores', 'flags', 'visits'].map((name) => `spec.${name}`),
);

function fieldTest(random: Random): RandomFilter {
  const field = random.chance(0.1) ? random.pick([NAME, CREATED]) : random.pick(FIELDS);
  const { name, kind } = field;
  const valuesOf = (object: ExtensionObject): Plain[] =>
    field.read(object).map((value) => plain(kind, value));
  if (random.chance(0.15)) return { text: `has(${name})`, holds: (object) => valuesOf(object).length > 0 };
  if (MULTI.has(name)) {
    const wanted = literal(random, field);
    const inner = nestedTest(random, field, 2);
    return random.pick<RandomFilter>([
      {
        text: `${wanted.text} in ${name}`,
        holds: (object) => valuesOf(object).some((value) => compare(value, wanted.value()) === 0),
      },
      { text: `${name}.exists(x, ${inner.text})`, holds: (object) => valuesOf(object).some(inner.holds) },
    ]);
  }
  if (kind === 'boolean' && random.chance(0.3))
    return { text: name, holds: (object) => valuesOf(object)[0] === true };
  const test = valueTest(random, field, name);
  // `!=` is the complement of equality, so it is true for an absent value.
  const isComplement = / != |!=/.test(test.text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, ''));
  return {
    text: test.text,
    holds: (object) => {
      const [value] = valuesOf(object);
      return value === undefined ? isComplement : test.holds(value);
    },
  };
}

function labelTest(random: Random): RandomFilter {
  const key = random.pick(LABEL_KEYS);
  const subject = `metadata.labels[${quoted(random, key)}]`;
  const own = ({ metadata }: ExtensionObject): string | undefined => metadata.labels?.[key];
  const value = random.pick([...LABEL_VALUES, 'te', 'e', 'zz', '']);
  const operator = random.pick(OPERATORS);
  const part = textTest(random, subject, () => random.pick(['gold', 'a', 'team', 'tier', 'k=a', 'old']));
  const wanted = random.many(0, 3, () => random.pick(LABEL_VALUES));
  const ifThere = (test: (label: string) => boolean) => (object: ExtensionObject) => {
    const label = own(object);
    return label !== undefined && test(label);
  };
  return random.pick<RandomFilter>([
    { text: `${quoted(random, key)} in metadata.labels`, holds: ifThere(() => true) },
    {
      text: `${subject} ${operator} ${quoted(random, value)}`,
      holds: (object) => {
        const label = own(object);
        return label === undefined ? operator === '!=' : meets(operator, label, value);
      },
    },
    {
      text: `${subject} in [${wanted.map((one) => quoted(random, one)).join(',')}]`,
      holds: ifThere((label) => wanted.includes(label)),
    },
    { text: part.text, holds: ifThere(part.holds) },
  ]);
}

/** Many conditions on the texts of one field, which are decided together. */
function manyTexts(random: Random): RandomFilter {
  const field = random.chance(0.2) ? NAME : random.pick(FIELDS.filter(({ kind }) => kind === 'string'));
  const { name } = field;
  const isMulti = MULTI.has(name);
  const parts = random.many(2, isMulti ? 20 : 40, (): RandomFilter => {
    const test = textTest(random, isMulti ? 'x' : name, () =>
      field === NAME ? randomName(random, 100) : String(randomScalar(random, 'string')),
    );
    const holds = (object: ExtensionObject): boolean => field.read(object).some((value) => test.holds(value));
    const text = isMulti ? `${name}.exists(x, ${test.text})` : test.text;
    return random.chance(0.3) ? { text: `!${text}`, holds: (object) => !holds(object) } : { text, holds };
  });
  return joined(parts, random.chance(0.5));
}

function joined(parts: readonly RandomFilter[], isAnd: boolean): RandomFilter {
  return {
    text: parts.map(({ text }) => `(${text})`).join(isAnd ? ' && ' : ' || '),
    holds: (object) =>
      isAnd ? parts.every((part) => part.holds(object)) : parts.some((part) => part.holds(object)),
  };
}

/** An expression of all that filters know. */
export function randomFilter(random: Random, depth = 3): RandomFilter {
  if (depth === 3 && random.chance(0.15)) return manyTexts(random);
  if (depth === 0 || random.chance(0.4)) return random.chance(0.2) ? labelTest(random) : fieldTest(random);
  if (random.chance(0.25)) {
    const inner = randomFilter(random, depth - 1);
    return { text: `!(${inner.text})`, holds: (object) => !inner.holds(object) };
  }
  return joined(
    random.many(2, 3, () => randomFilter(random, depth - 1)),
    random.chance(0.5),
  );
}
