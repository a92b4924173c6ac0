import { formatExcerpt } from '../errors.js';
import { didYouMean, suggest } from '../lib/suggest.js';
import { areEqual, compare } from './equality.js';
import { fail } from './failure.js';
import { ExpressionFault } from './text/fault.js';
import { TYPE_NAMES } from './functions/conversions.js';
import { FUNCTION_NAMES, getFunctions } from './functions/library.js';
import { faultOfRe2 } from '../lib/linear-reg-exp.js';
import { PATTERN_FUNCTIONS } from './functions/patterns.js';
import { expandMacro } from './macros.js';
import { allOf, anyOf } from './logic.js';
import { isIn, getItem, getMember } from './members.js';
import { mismatch, resolve } from './overload.js';
import { TypeValue } from './scalars.js';
import type { Compiled, Compiling, CompileScope } from './scope.js';
import type { Expression, ExpressionOf } from './text/syntax.js';
import * as types from './types.js';
import { accepts, nameOfType, type Type } from './types.js';
import { ComputedList, MadeMap } from './values.js';

/** Determines the types of the parts of an expression, and compiles them to functions. */
export class Compiler implements Compiling {
  /** Literal patterns of the expression, already checked. */
  readonly patterns = new Set<string>();

  /** @throws ExpressionFault for unknown names, and for parts whose types do not fit */
  compile(expression: Expression, scope: CompileScope): Compiled {
    switch (expression.kind) {
      case 'literal':
        return literal(expression);
      case 'name':
        return this.#name(expression, scope);
      case 'member':
        return getMember(this.compile(expression.of, scope), expression);
      case 'item':
        return getItem(this.compile(expression.of, scope), this.compile(expression.key, scope), expression);
      case 'list':
        return this.#list(expression, scope);
      case 'map':
        return this.#map(expression, scope);
      case 'not': {
        const of = this.bool(expression.of, scope);
        return { type: types.BOOL, run: (frame) => of.run(frame) !== true };
      }
      case 'negative':
        return this.#function({ ...expression, name: 'negative', args: [expression.of] }, scope);
      case 'arithmetic': {
        const { operator, left, right, at } = expression;
        return this.#function({ name: operator, args: [left, right], at }, scope);
      }
      case 'and':
      case 'or': {
        const parts = expression.of.map((part) => this.bool(part, scope));
        return { type: types.BOOL, run: expression.kind === 'and' ? allOf(parts) : anyOf(parts) };
      }
      case 'comparison':
        return this.#comparison(expression, scope);
      case 'conditional':
        return this.#conditional(expression, scope);
      case 'call':
        return this.#call(expression, scope);
    }
  }

  bool(expression: Expression, scope: CompileScope): Compiled {
    const { type, run } = this.compile(expression, scope);
    if (type.kind !== 'bool' && type.kind !== 'dyn')
      throw new ExpressionFault(`expected a bool, found ${withArticle(type)}`, expression.at);
    return {
      type: types.BOOL,
      run: (frame) => {
        const value = run(frame);
        return typeof value === 'boolean' ? value : fail('expected a bool');
      },
    };
  }

  #name({ name, at }: ExpressionOf<'name'>, scope: CompileScope): Compiled {
    const variable = scope.find(name);
    if (variable !== undefined) return variable;
    if (TYPE_NAMES.has(name)) {
      const value = new TypeValue(name);
      return { type: types.TYPE, run: () => value };
    }
    const near = suggest(name, scope.known());
    throw new ExpressionFault(`there is no "${formatExcerpt(name)}"${didYouMean(near)}`, at);
  }

  #list({ items }: ExpressionOf<'list'>, scope: CompileScope): Compiled {
    const parts = items.map((item) => this.compile(item, scope));
    return {
      type: types.listType(types.unionType(parts.map(({ type }) => type))),
      run: (frame) => {
        frame.spend(parts.length);
        return new ComputedList(parts.map(({ run }) => run(frame)));
      },
    };
  }

  #map({ entries }: ExpressionOf<'map'>, scope: CompileScope): Compiled {
    const parts = entries.map(
      ([key, value]) => [this.compile(key, scope), this.compile(value, scope)] as const,
    );
    const key = types.unionType(parts.map(([{ type }]) => type));
    const of = types.unionType(parts.map(([, { type }]) => type));
    return {
      type: types.mapType(of, key),
      run: (frame) => {
        frame.spend(parts.length);
        return new MadeMap(parts.map(([one, other]) => [one.run(frame), other.run(frame)] as const));
      },
    };
  }

  #conditional({ test, yes, no, at }: ExpressionOf<'conditional'>, scope: CompileScope): Compiled {
    const [condition, one, other] = [
      this.bool(test, scope),
      this.compile(yes, scope),
      this.compile(no, scope),
    ];
    if (!areComparable(one.type, other.type))
      throw new ExpressionFault(
        `both sides of "? :" must be of one type, not ${nameOfType(one.type)} and ${nameOfType(other.type)}`,
        at,
      );
    return {
      type: types.unionType([one.type, other.type]),
      run: (frame) => (condition.run(frame) === true ? one.run(frame) : other.run(frame)),
    };
  }

  #comparison({ operator, left, right, at }: ExpressionOf<'comparison'>, scope: CompileScope): Compiled {
    const [one, other] = [this.compile(left, scope), this.compile(right, scope)];
    if (operator === 'in') return isIn(one, other, at);
    const isEquality = operator === '==' || operator === '!=';
    const fits = isEquality ? areComparable(one.type, other.type) : types.areOrdered(one.type, other.type);
    if (!fits) {
      const what = `${withArticle(one.type)} and ${withArticle(other.type)}`;
      const isNumeric = isEquality && types.areOrdered(one.type, other.type);
      const hint = isNumeric ? '; convert one of them, as in double(x) or 1.0' : '';
      throw new ExpressionFault(`"${operator}" does not compare ${what}${hint}`, at);
    }
    if (isEquality) {
      const wanted = operator === '==';
      return {
        type: types.BOOL,
        run: (frame) => areEqual(one.run(frame), other.run(frame), frame) === wanted,
      };
    }
    const holds = ORDERS[operator];
    return {
      type: types.BOOL,
      run: (frame) => {
        frame.spend(1);
        return holds(compare(one.run(frame), other.run(frame), frame));
      },
    };
  }

  #call(call: ExpressionOf<'call'>, scope: CompileScope): Compiled {
    const macro = expandMacro(this, call, scope);
    if (macro !== undefined) return macro;
    const { on, name, args, at } = call;
    if (on === undefined) return this.#function({ name, args, at }, scope);
    // `sets.contains(a, b)` looks like a method of a variable `sets`.
    const whole = on.kind === 'name' && scope.find(on.name) === undefined ? `${on.name}.${name}` : '';
    if (getFunctions(whole).length > 0) return this.#function({ name: whole, args, at }, scope);
    return this.#function({ name, args: [on, ...args], at, isMethod: true }, scope);
  }

  #function(called: Called, scope: CompileScope): Compiled {
    const { name, args, at, isMethod = false } = called;
    const parts = args.map((arg) => this.compile(arg, scope));
    const overloads = getFunctions(name).filter((one) => one.isMethod === isMethod);
    if (overloads.length === 0) throw new ExpressionFault(unknownFunction(name, isMethod), at);
    const found = resolve(
      overloads,
      parts.map(({ type }) => type),
    );
    if (found === undefined) throw new ExpressionFault(doesNotTake(called, parts), at);
    if (PATTERN_FUNCTIONS.has(name)) this.#checkPattern(args[1]);
    const { candidates, gives } = found;
    const [only, ...more] = candidates;
    return {
      type: gives,
      run: (frame) => {
        frame.spend(1);
        const values = parts.map(({ run }) => run(frame));
        const overload = more.length === 0 ? only : candidates.find((one) => one.fits(values));
        return overload === undefined ? mismatch(name, values) : overload.call(values, frame);
      },
    };
  }

  #checkPattern(argument: Expression | undefined): void {
    if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return;
    const fault = faultOfRe2(argument.value);
    if (fault !== undefined) throw new ExpressionFault(`the pattern is invalid: ${fault}`, argument.at);
    this.patterns.add(argument.value);
  }
}

interface Called {
  readonly name: string;
  /** The arguments; for a method, the first is the expression before the dot. */
  readonly args: readonly Expression[];
  readonly at: number;
  readonly isMethod?: boolean;
}

const ORDERS = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
};

function literal({ value }: ExpressionOf<'literal'>): Compiled {
  return { type: typeOfLiteral(value), run: () => value };
}

function typeOfLiteral(value: ExpressionOf<'literal'>['value']): Type {
  switch (typeof value) {
    case 'string':
      return types.STRING;
    case 'boolean':
      return types.BOOL;
    case 'bigint':
      return types.INT;
    case 'number':
      return types.DOUBLE;
  }
  if (value === null) return types.NULL;
  return value instanceof Uint8Array ? types.BYTES : types.UINT;
}

/** True when values of the two types can be equal, as far as the types are known. */
function areComparable(one: Type, other: Type): boolean {
  return one.kind === 'null' || other.kind === 'null' || accepts(one, other) || accepts(other, one);
}

function withArticle(type: Type): string {
  const name = nameOfType(type);
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function unknownFunction(name: string, isMethod: boolean): string {
  const known = FUNCTION_NAMES.filter((one) =>
    getFunctions(one).some((other) => other.isMethod === isMethod),
  );
  return `there is no ${isMethod ? 'method' : 'function'} "${formatExcerpt(name)}"${didYouMean(suggest(name, known))}`;
}

function doesNotTake({ name, isMethod }: Called, parts: readonly Compiled[]): string {
  const given = parts.map(({ type }) => nameOfType(type));
  if (name === 'negative') return `"-" does not take ${given.join(', ')}`;
  if (isMethod !== true)
    return `"${name}" does not take ${given.length === 0 ? 'nothing' : given.join(' and ')}`;
  const [on = '', ...args] = given;
  return `"${name}" of ${on} does not take ${args.length === 0 ? 'nothing' : args.join(' and ')}`;
}
