import { deepEqual } from '../../src/lib/json/json.js';
import type { Random } from '../helpers/seed.js';

/** The fields that the rules are about. */
export interface RuledSpec {
  a?: number;
  b?: number;
  s?: string;
  list?: { n: number; tag?: string }[];
  map?: Record<string, number>;
}

/** A rule, and the same in JavaScript; undefined when it cannot be evaluated. */
export interface RulePair {
  readonly rule: string;
  readonly holds: (now: RuledSpec, old: RuledSpec) => boolean | undefined;
  /** Fields that decide it. Undefined for a rule that compares with the old value. */
  readonly reads: readonly (keyof RuledSpec)[] | undefined;
}

const both = (spec: RuledSpec): readonly [number, number] | undefined =>
  spec.a === undefined || spec.b === undefined ? undefined : [spec.a, spec.b];

export const RULE_PAIRS: readonly RulePair[] = [
  {
    rule: 'self.a < self.b',
    holds: (spec) => {
      const [a, b] = both(spec) ?? [];
      return a === undefined || b === undefined ? undefined : a < b;
    },
    reads: ['a', 'b'],
  },
  { rule: '!has(self.a) || self.a != 3', holds: ({ a }) => a !== 3, reads: ['a'] },
  {
    rule: '!has(self.s) || !self.s.contains("x")',
    holds: ({ s = '' }) => !s.includes('x'),
    reads: ['s'],
  },
  {
    rule: '!has(self.list) || self.list.all(e, e.n > 0 || has(e.tag))',
    holds: ({ list = [] }) => list.every(({ n, tag }) => n > 0 || tag !== undefined),
    reads: ['list'],
  },
  {
    rule: 'has(self.list) ? self.list.map(e, e.n).sum() < 7 : true',
    holds: ({ list = [] }) => list.reduce((sum, { n }) => sum + n, 0) < 7,
    reads: ['list'],
  },
  {
    rule: '!has(self.map) || self.map.all(k, self.map[k] != self.a)',
    // The field that is not there is only missed where it is compared with.
    holds: ({ map = {}, a }) => {
      const values = Object.values(map);
      return values.length > 0 && a === undefined ? undefined : values.every((value) => value !== a);
    },
    reads: ['map', 'a'],
  },
  {
    rule: 'has(self.b) || has(self.s)',
    holds: ({ b, s }) => b !== undefined || s !== undefined,
    reads: ['b', 's'],
  },
  {
    rule: 'self.?a.orValue(0) >= oldSelf.?a.orValue(0)',
    holds: ({ a = 0 }, old) => a >= (old.a ?? 0),
    reads: undefined,
  },
  {
    rule: '!has(oldSelf.s) || (has(self.s) && self.s.startsWith(oldSelf.s))',
    holds: ({ s }, old) => old.s === undefined || s?.startsWith(old.s) === true,
    reads: undefined,
  },
];

const integer = { type: 'integer' };

export const RULED_PROPERTIES = {
  a: integer,
  b: integer,
  s: { type: 'string' },
  list: { type: 'array', items: { type: 'object', properties: { n: integer, tag: { type: 'string' } } } },
  map: { type: 'object', additionalProperties: integer },
};

/** The rules as a schema has them; each is its own message. */
export function validationsOf(rules: readonly RulePair[]): readonly object[] {
  return rules.map(({ rule }) => ({ rule, message: rule }));
}

export function randomRuled(random: Random): RuledSpec {
  const number = (): number => random.below(5) - 1;
  const text = (): string => random.pick(['', 'a', 'ab', 'x', 'ax']);
  return {
    ...(random.chance(0.7) && { a: number() }),
    ...(random.chance(0.7) && { b: number() }),
    ...(random.chance(0.5) && { s: text() }),
    ...(random.chance(0.5) && {
      list: random.many(0, 3, () => ({ n: number(), ...(random.chance(0.3) && { tag: 't' }) })),
    }),
    ...(random.chance(0.4) && {
      map: Object.fromEntries(random.many(0, 2, () => [random.pick(['k', 'l.m']), number()])),
    }),
  };
}

/** The rules that a write of one state over another breaks, and did not before. */
export function introduced(rules: readonly RulePair[], now: RuledSpec, old: RuledSpec | undefined): string[] {
  return rules
    .filter(({ holds, reads }) => {
      if (reads === undefined) return old !== undefined && holds(now, old) !== true;
      if (holds(now, {}) === true) return false;
      const isOld = old !== undefined && holds(old, {}) !== true;
      return !isOld || reads.some((field) => !deepEqual(now[field], old[field]));
    })
    .map(({ rule }) => rule);
}
