import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/cel/failure.js';
import { compileExpression } from '../../src/cel/program.js';
import * as types from '../../src/cel/types.js';
import { ComputedList, type Value } from '../../src/cel/values.js';
import { limits, plain } from '../cel/helpers.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const seed = seedOfRun();
const VARIABLES = {
  i: types.INT,
  j: types.INT,
  d: types.DOUBLE,
  s: types.STRING,
  t: types.STRING,
  p: types.BOOL,
  l: types.listType(types.INT),
  m: types.listType(types.STRING),
};
const OTHER = Object.entries({
  i: 'int',
  j: 'int',
  d: 'double',
  s: 'string',
  t: 'string',
  p: 'bool',
  l: 'list<int>',
  m: 'list<string>',
}).reduce((environment, [name, type]) => environment.registerVariable(name, type), new Environment());
type Kind = 'int' | 'double' | 'string' | 'bool' | 'ints' | 'strings';

const INTS = ['0', '1', '2', '-1', '7', '9223372036854775807', '-9007199254740993'];
const DIVISORS = ['0', '1', '2', '7', '-7', 'size(l)', '(i * i)'];
const DOUBLES = ['0.0', '1.0', '2.5', '-1.5', '1e3'];
const STRINGS = ['""', '"a"', '"ab"', '"ba"', '"a-B c"', '"A b"'];

/**
 * Expressions of a type, at most so deep. Left out is what the other implementation has otherwise than CEL's
 * specification: characters that are not ASCII, empty lists as they are, and the sign of the smallest int, also by a
 * division by -1.
 */
class Expressions {
  constructor(private readonly random: Random) {}

  of(kind: Kind, depth: number): string {
    const deeper = (inner: Kind): string => this.of(inner, depth - 1);
    const { random } = this;
    const pick = (...makes: readonly (() => string)[]): string => random.pick(makes)();
    const order = (): string => random.pick(['<', '<=', '>', '>=', '==', '!=']);
    const leaf = depth <= 0 || random.chance(0.15);
    switch (kind) {
      case 'int':
        if (leaf) return random.pick([...INTS, 'i', 'j', 'i', 'j']);
        return pick(
          () => `(${deeper('int')} ${random.pick(['+', '-', '*'])} ${deeper('int')})`,
          () => `(${deeper('int')} ${random.pick(['/', '%'])} ${random.pick(DIVISORS)})`,
          () => `size(${deeper(random.pick(['string', 'ints', 'strings']))})`,
          () => `(${deeper('bool')} ? ${deeper('int')} : ${deeper('int')})`,
          () => `${deeper('string')}.indexOf(${deeper('string')})`,
          () => `${deeper('ints')}[${deeper('int')}]`,
          () => `-(${random.pick(['i', 'j', '1'])})`,
        );
      case 'double':
        if (leaf) return random.pick([...DOUBLES, 'd', 'd']);
        return pick(
          () => `(${deeper('double')} ${random.pick(['+', '-', '*', '/'])} ${deeper('double')})`,
          () => `double(${deeper('int')})`,
        );
      case 'string':
        if (leaf) return random.pick([...STRINGS, 's', 't', 's', 't']);
        return pick(
          () => `(${deeper('string')} + ${deeper('string')})`,
          () => `string(${deeper('int')})`,
          () => `${deeper('string')}.${random.pick(['lowerAscii', 'upperAscii', 'trim'])}()`,
          () => `${deeper('string')}.substring(${random.below(3)})`,
          () => `${deeper('strings')}.join("-")`,
        );
      case 'bool':
        if (leaf) return random.pick(['true', 'false', 'p', 'p']);
        return pick(
          () => `(${deeper('int')} ${order()} ${deeper('int')})`,
          () => `(${deeper('double')} ${order()} ${deeper('double')})`,
          () => `(${deeper('int')} ${random.pick(['<', '<=', '>', '>='])} ${deeper('double')})`,
          () => `(${deeper('string')} ${random.pick(['==', '!='])} ${deeper('string')})`,
          () => `(${deeper('bool')} ${random.pick(['&&', '||', '==', '!='])} ${deeper('bool')})`,
          () => `!(${deeper('bool')})`,
          () =>
            `${deeper('string')}.${random.pick(['contains', 'startsWith', 'endsWith'])}(${deeper('string')})`,
          () => `(${deeper('int')} in ${deeper('ints')})`,
          () => `(${deeper('ints')} == ${deeper('ints')})`,
          () => `${deeper('ints')}.${random.pick(['all', 'exists', 'exists_one'])}(i, ${deeper('bool')})`,
          () => `${deeper('string')}.matches("${random.pick(['a', '^a', 'b$', '[a-z]+', '^$'])}")`,
        );
      case 'ints':
        if (leaf) return random.pick(['l', '[1]', '[1, 2]', '[i, j]']);
        return pick(
          () => `[${random.many(1, 3, () => deeper('int')).join(', ')}]`,
          () => `(${deeper('ints')} + ${deeper('ints')})`,
          () => `${deeper('ints')}.map(j, ${deeper('int')})`,
          () => `${deeper('ints')}.filter(j, ${deeper('bool')})`,
        );
      case 'strings':
        if (leaf) return random.pick(['m', '["a", "b"]', '[s, t]']);
        return pick(
          () => `[${random.many(1, 3, () => deeper('string')).join(', ')}]`,
          () => `${deeper('string')}.split(${random.pick(['"a"', '"-"', '""'])})`,
          () => `${deeper('ints')}.map(i, ${deeper('string')})`,
        );
    }
  }
}

/** The result as text; every failure has the same text. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : typeof part === 'number' ? `${part}d` : part,
  );
}

describe(`an expression (SEED=${seed})`, () => {
  it('gives what it gives in another implementation', { timeout: 60_000 }, () => {
    const random = new Random(seed);
    const expressions = new Expressions(random);
    let failures = 0;
    for (let round = 0; round < 5_000; round++) {
      const kind = random.pick<Kind>(['int', 'double', 'string', 'bool', 'ints', 'strings']);
      const text = expressions.of(kind, 4);
      const ints = random.many(0, 3, () => BigInt(random.below(5) - 1));
      const strings = random.many(0, 2, () => random.pick(['a', 'b', 'ab']));
      const given = {
        i: BigInt(random.below(5) - 2),
        j: BigInt(random.below(5) - 2),
        d: random.pick([0, 1, -1.5]),
        s: random.pick(['a', '', 'b a']),
        t: random.pick(['ab', 'B']),
        p: random.chance(0.5),
        l: ints,
        m: strings,
      };
      const values: Value[] = Object.values(given).map((value) =>
        Array.isArray(value) ? new ComputedList(value) : value,
      );
      let theirs: string;
      try {
        theirs = shown(OTHER.evaluate(text, given));
      } catch {
        theirs = 'failed';
      }
      let ours: string;
      try {
        ours = shown(plain(compileExpression(text, VARIABLES).evaluate(values, limits(1_000_000))));
      } catch (error) {
        if (!(error instanceof Failure)) throw new Error(`${text}: ${String(error)}`, { cause: error });
        ours = 'failed';
      }
      if (ours === 'failed') failures++;
      expect(ours, `${text} with ${shown(given)}`).toBe(theirs);
    }
    expect(failures).toBeGreaterThan(50);
    expect(failures).toBeLessThan(4_000);
  });
});
