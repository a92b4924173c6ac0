import { fail } from './failure.js';
import { ExpressionFault } from './text/fault.js';
import type { Frame } from './frame.js';
import { LogicDecision } from './logic.js';
import { fieldType, itemAt } from './members.js';
import type { Compiled, Compiling, CompileScope } from './scope.js';
import type { Expression, ExpressionOf } from './text/syntax.js';
import * as types from './types.js';
import { nameOfType, type Type } from './types.js';
import { getKeys, getKind, ListValue, ComputedList, MapValue, OptionalValue, type Value } from './values.js';

type Call = ExpressionOf<'call'>;

/** `has(a.b)`, and `all`, `exists`, `exists_one`, `map`, `filter`, `optMap`, `optFlatMap`; undefined for other calls. */
export function expandMacro(compiler: Compiling, call: Call, scope: CompileScope): Compiled | undefined {
  const { on, name, args, at } = call;
  if (on === undefined) return name === 'has' ? has(compiler, call, scope) : undefined;
  const macro = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
  if (macro === undefined) return undefined;
  const [variable, ...bodies] = args;
  const isCount = bodies.length === 1 || (name === 'map' && bodies.length === 2);
  if (variable?.kind !== 'name' || !isCount)
    throw new ExpressionFault(`${name} takes a name and an expression, as in a.${name}(x, ...)`, at);
  const range = compiler.compile(on, scope);
  const inner = scope.with(variable.name, macro.variable(range.type, at));
  return macro.build({ compiler, range, bodies, inner, slot: scope.size });
}

function has(compiler: Compiling, { args, at }: Call, scope: CompileScope): Compiled {
  const [member, ...more] = args;
  if (member?.kind !== 'member' || member.isOptional || more.length > 0)
    throw new ExpressionFault('has takes a field, as in has(a.b)', at);
  const of = compiler.compile(member.of, scope);
  fieldType(of.type.kind === 'optional' ? of.type.of : of.type, member);
  return {
    type: types.BOOL,
    run: (frame) => {
      frame.spend(1);
      const value = of.run(frame);
      const from = value instanceof OptionalValue ? value.value : value;
      if (from === undefined) return false;
      return from instanceof MapValue ? from.hasField(member.name) : fail(`a ${getKind(from)} has no fields`);
    },
  };
}

interface Built {
  readonly compiler: Compiling;
  readonly range: Compiled;
  readonly bodies: readonly Expression[];
  /** The scope that includes the variable of the macro. */
  readonly inner: CompileScope;
  readonly slot: number;
}

interface Macro {
  readonly variable: (range: Type, at: number) => Type;
  readonly build: (built: Built) => Compiled;
}

const MACROS: Readonly<Record<string, Macro>> = {
  all: { variable: itemType, build: (built) => ({ type: types.BOOL, run: negated(existing(built, false)) }) },
  exists: { variable: itemType, build: (built) => ({ type: types.BOOL, run: existing(built, true) }) },
  exists_one: { variable: itemType, build: existsOne },
  filter: { variable: itemType, build: filter },
  map: { variable: itemType, build: map },
  optMap: { variable: valueType, build: (built) => optional(built, (type) => types.optionalType(type)) },
  optFlatMap: { variable: valueType, build: (built) => optional(built, (type) => type) },
};

function itemType(range: Type, at: number): Type {
  if (range.kind === 'list') return range.of;
  if (range.kind === 'map') return range.key;
  if (range.kind === 'dyn') return types.DYN;
  throw new ExpressionFault(`expected a list or a map, found a value of the type ${nameOfType(range)}`, at);
}

function valueType(range: Type, at: number): Type {
  if (range.kind === 'optional') return range.of;
  if (range.kind === 'dyn') return types.DYN;
  throw new ExpressionFault(`expected an optional, found a value of the type ${nameOfType(range)}`, at);
}

/** The items of a list, or the keys of a map. */
function getRange({ range }: Built, frame: Frame): ListValue {
  const value = range.run(frame);
  if (value instanceof ListValue) return value;
  return value instanceof MapValue
    ? new ComputedList(getKeys(value, frame))
    : fail(`a ${getKind(value)} has no items`);
}

function negated(run: (frame: Frame) => boolean): (frame: Frame) => boolean {
  return (frame) => !run(frame);
}

function getBody({ compiler, bodies, inner }: Built): Compiled {
  const [body] = bodies;
  return body === undefined ? { type: types.DYN, run: () => null } : compiler.bool(body, inner);
}

/** True when the condition is `wanted` for an item. */
function existing(built: Built, wanted: boolean): (frame: Frame) => boolean {
  const { run } = getBody(built);
  const { slot } = built;
  return (frame) => {
    const list = getRange(built, frame);
    const decision = new LogicDecision(frame);
    for (let i = 0; i < list.size; i++) {
      frame.slots[slot] = itemAt(list, i, frame);
      if (decision.is(wanted, run)) return true;
    }
    decision.end();
    return false;
  };
}

function existsOne(built: Built): Compiled {
  const { run } = getBody(built);
  return {
    type: types.BOOL,
    run: (frame) => {
      let found = 0;
      const list = getRange(built, frame);
      for (let i = 0; i < list.size; i++) {
        frame.spend(1);
        frame.slots[built.slot] = itemAt(list, i, frame);
        if (run(frame) === true) found++;
      }
      return found === 1;
    },
  };
}

function filter(built: Built): Compiled {
  const { run } = getBody(built);
  const of = built.range.type.kind === 'map' ? built.range.type.key : itemType(built.range.type, 0);
  return {
    type: types.listType(of),
    run: (frame) => collected(built, frame, (item) => (run(frame) === true ? item : undefined)),
  };
}

/** With two expressions, the first selects the items. */
function map(built: Built): Compiled {
  const { compiler, bodies, inner } = built;
  const [first, second = first] = bodies;
  if (first === undefined || second === undefined) return filter(built);
  const condition = bodies.length === 2 ? compiler.bool(first, inner) : undefined;
  const { type, run } = compiler.compile(second, inner);
  return {
    type: types.listType(type),
    run: (frame) =>
      collected(built, frame, () =>
        condition === undefined || condition.run(frame) === true ? run(frame) : undefined,
      ),
  };
}

function collected(built: Built, frame: Frame, take: (item: Value) => Value | undefined): ListValue {
  const list = getRange(built, frame);
  const items: Value[] = [];
  for (let i = 0; i < list.size; i++) {
    frame.spend(1);
    const item = itemAt(list, i, frame);
    frame.slots[built.slot] = item;
    const taken = take(item);
    if (taken !== undefined) items.push(taken);
  }
  return new ComputedList(items);
}

function optional({ compiler, range, bodies, inner, slot }: Built, getType: (type: Type) => Type): Compiled {
  const [body] = bodies;
  if (body === undefined) return range;
  const { type, run } = compiler.compile(body, inner);
  return {
    type: getType(type),
    run: (frame) => {
      const value = range.run(frame);
      if (!(value instanceof OptionalValue)) return fail(`a ${getKind(value)} is not an optional`);
      if (value.value === undefined) return OptionalValue.NONE;
      frame.slots[slot] = value.value;
      const made = run(frame);
      return made instanceof OptionalValue ? made : new OptionalValue(made);
    },
  };
}
