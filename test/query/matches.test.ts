import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '../../src/model/key-type.js';
import { bind } from '../../src/query/bind.js';
import type { Condition } from '../../src/query/condition.js';
import { compile, type Values } from '../../src/query/compile.js';
import { NAME } from '../../src/query/fields.js';
import { Queries as Q } from '../../src/query/condition-builders.js';
import { at, PERSON } from './helpers.js';
import { matches } from './matches.js';

interface Subject {
  readonly name: string;
  readonly age?: number | undefined;
  readonly owner?: string | undefined;
  readonly tags: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

function valuesOf(subject: Subject): Values {
  const entries = new Map<number, Buffer[]>([
    [NAME, [encodeValue('string', subject.name)]],
    [at('spec.age'), subject.age === undefined ? [] : [encodeValue('integer', subject.age)]],
    [at('spec.owner'), subject.owner === undefined ? [] : [encodeValue('string', subject.owner)]],
    [at('spec.tags'), subject.tags.map((tag) => encodeValue('string', tag))],
    [
      at('metadata.labels'),
      Object.entries(subject.labels).map(([k, v]) => encodeValue('string', `${k}=${v}`)),
    ],
  ]);
  return (index) => entries.get(index) ?? [];
}

/** The same meaning once more, on plain values and straight from the description. */
function holds(condition: Condition, subject: Subject): boolean {
  const field = (name: string): readonly (string | number)[] => {
    if (name === 'spec.age') return subject.age === undefined ? [] : [subject.age];
    if (name === 'spec.owner') return subject.owner === undefined ? [] : [subject.owner];
    return name === 'spec.tags' ? subject.tags : [subject.name];
  };
  switch (condition.op) {
    case 'all':
      return true;
    case 'and':
      return condition.of.every((part) => holds(part, subject));
    case 'or':
      return condition.of.some((part) => holds(part, subject));
    case 'not':
      return !holds(condition.of, subject);
    case 'in':
      return field(condition.field).some((value) => condition.values.includes(value));
    case 'range': {
      const { from, to } = condition;
      return field(condition.field).some(
        (value) =>
          (!from || value > from.value || (from.inclusive && value === from.value)) &&
          (!to || value < to.value || (to.inclusive && value === to.value)),
      );
    }
    case 'isNull':
      return field(condition.field).length === 0;
    case 'labelIn':
      return condition.values.some((value) => subject.labels[condition.key] === value);
    case 'labelExists':
      return Object.hasOwn(subject.labels, condition.key);
    case 'any':
    case 'ref':
    case 'namespace':
      throw new RangeError('no such condition is made here');
    default: {
      const { op, text, ignoreCase } = condition;
      const fold = (value: string): string => (ignoreCase ? value.toLowerCase() : value);
      return field(condition.field).some((value) => {
        const own = fold(String(value));
        return op === 'equals' ? own === fold(text) : own[op === 'contains' ? 'includes' : op](fold(text));
      });
    }
  }
}

const word = fc.constantFrom('', 'a', 'b', 'A', 'ab', 'aB', 'ba', 'ü');
const age = fc.integer({ min: -3, max: 3 });
const stringField = fc.constantFrom('spec.owner', 'spec.tags', 'metadata.name');
const key = fc.constantFrom('k', 'kk', 'x/k');

const subjects: fc.Arbitrary<Subject> = fc.record({
  name: fc.constantFrom('a', 'b', 'ab'),
  age: fc.option(age, { nil: undefined }),
  owner: fc.option(word, { nil: undefined }),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  labels: fc.dictionary(key, fc.constantFrom('', 'a', 'b'), { maxKeys: 3 }),
});

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.constant(Q.empty()),
  fc.tuple(stringField, fc.array(word, { maxLength: 4 })).map(([f, v]) => Q.in(f, v)),
  fc.array(age, { maxLength: 4 }).map((v) => Q.in('spec.age', v)),
  fc.tuple(age, fc.boolean()).map(([v, i]) => Q.greaterThan('spec.age', v, i)),
  fc.tuple(stringField, word, fc.boolean()).map(([f, v, i]) => Q.lessThan(f, v, i)),
  fc.tuple(age, fc.boolean(), age, fc.boolean()).map((range) => Q.between('spec.age', ...range)),
  fc.constantFrom('spec.age', 'spec.owner', 'spec.tags').map((f) => Q.isNull(f)),
  fc
    .tuple(
      fc.constantFrom('startsWith' as const, 'endsWith' as const, 'contains' as const),
      stringField,
      word,
      fc.boolean(),
    )
    .map(([op, f, v, ignoreCase]) => Q[op](f, v, { ignoreCase })),
  fc
    .tuple(stringField, word, fc.boolean())
    .map(([f, v, ignoreCase]): Condition => ({ op: 'equals', field: f, text: v, ignoreCase })),
  fc.tuple(key, fc.array(fc.constantFrom('', 'a', 'b'), { maxLength: 2 })).map(([k, v]) => Q.labelIn(k, v)),
  key.map((k) => Q.labelExists(k)),
);

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('condition'), { maxLength: 3 }).map((of) => Q.and(...of)),
    fc.array(tie('condition'), { maxLength: 3 }).map((of) => Q.or(...of)),
    tie('condition').map((of) => Q.not(of)),
  ),
}));

describe('the meaning of a condition', () => {
  it('is the same before and after binding, interpreted and compiled', () => {
    fc.assert(
      fc.property(condition, subjects, (asked, subject) => {
        const bound = bind(asked, PERSON);
        const values = valuesOf(subject);
        expect(matches(bound, values)).toBe(holds(asked, subject));
        expect(compile(bound)(values)).toBe(holds(asked, subject));
      }),
      { numRuns: 3000 },
    );
  });

  it('obeys De Morgan, and not is an exact complement', () => {
    fc.assert(
      fc.property(condition, condition, subjects, (a, b, subject) => {
        const ask = (asked: Condition): boolean => matches(bind(asked, PERSON), valuesOf(subject));
        expect(ask(Q.not(a))).toBe(!ask(a));
        expect(ask(Q.not(Q.and(a, b)))).toBe(ask(Q.or(Q.not(a), Q.not(b))));
        expect(ask(Q.not(Q.or(a, b)))).toBe(ask(Q.and(Q.not(a), Q.not(b))));
      }),
      { numRuns: 1000 },
    );
  });

  it('lets an absent value differ from every value', () => {
    const nobody: Subject = { name: 'a', tags: [], labels: {} };
    const ask = (asked: Condition): boolean => matches(bind(asked, PERSON), valuesOf(nobody));
    expect(ask(Q.notEqual('spec.owner', 'x'))).toBe(true);
    expect(ask(Q.not(Q.labelEqual('k', 'v')))).toBe(true);
    expect(ask(Q.greaterThan('spec.age', -100))).toBe(false);
    expect(ask(Q.lessThan('spec.age', 100))).toBe(false);
    expect(ask(Q.isNull('spec.tags'))).toBe(true);
  });

  it('finds a value in a large set by bisection', () => {
    const wanted = Array.from({ length: 101 }, (_, i) => i * 2);
    const holds101 = compile(bind(Q.in('spec.age', wanted), PERSON));
    for (let i = -1; i <= 202; i += 1) {
      const subject: Subject = { name: 'a', age: i, tags: [], labels: {} };
      expect(holds101(valuesOf(subject))).toBe(wanted.includes(i));
    }
  });
});
