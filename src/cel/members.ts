import { formatExcerpt } from '../errors.js';
import { didYouMean, suggest } from '../lib/suggest.js';
import { fail } from './failure.js';
import { ExpressionFault } from './text/fault.js';
import type { Frame } from './frame.js';
import { readSteps } from './data.js';
import { holds } from './functions/lists.js';
import { Uint } from './scalars.js';
import type { Compiled } from './scope.js';
import type { ExpressionOf } from './text/syntax.js';
import * as types from './types.js';
import { accepts, nameOfType, type Type } from './types.js';
import { getKind, ListValue, MapValue, OptionalValue, type Value } from './values.js';

/** `of.name`, and `of.?name`. @throws ExpressionFault when the type has no such field */
export function getMember(of: Compiled, member: ExpressionOf<'member'>): Compiled {
  const { name, isOptional } = member;
  const field = fieldType(unwrapped(of.type), member);
  const steps = 1 + readSteps(field);
  const read = (value: Value, frame: Frame): Value | undefined => {
    frame.spend(steps);
    if (!(value instanceof MapValue)) return fail(`a ${getKind(value)} has no fields`);
    return charged(value.field(name), frame);
  };
  return stepInto(of, field, { read, isOptional, missing: () => `there is no "${formatExcerpt(name)}"` });
}

/** The type of a field. @throws ExpressionFault when the type has no such field */
export function fieldType(type: Type, { name, nameAt }: ExpressionOf<'member'>): Type {
  if (type.kind === 'dyn') return types.DYN;
  if (type.kind === 'map' && accepts(type.key, types.STRING)) return type.of;
  if (type.kind !== 'object')
    throw new ExpressionFault(`a ${nameOfType(type)} has no field "${formatExcerpt(name)}"`, nameAt);
  const found = type.fields.get(name)?.type() ?? type.others;
  if (found !== undefined) return found;
  const near = didYouMean(suggest(name, type.fields.keys()));
  throw new ExpressionFault(`there is no field "${formatExcerpt(name)}"${near}`, nameAt);
}

/** `of[key]`, and `of[?key]`. @throws ExpressionFault when keys are of another type */
export function getItem(of: Compiled, key: Compiled, { isOptional, at }: ExpressionOf<'item'>): Compiled {
  const type = unwrapped(of.type);
  const item = itemType(type, key.type);
  if (item === undefined)
    throw new ExpressionFault(`a ${nameOfType(type)} has no item for a ${nameOfType(key.type)}`, at);
  const read = (value: Value, frame: Frame): Value | undefined => {
    frame.spend(1);
    const wanted = key.run(frame);
    if (value instanceof MapValue) {
      frame.spend(readSteps(item));
      return charged(value.get(wanted), frame);
    }
    if (!(value instanceof ListValue)) return fail(`a ${getKind(value)} has no items`);
    const index = indexIn(value, wanted);
    return index === undefined ? undefined : itemAt(value, index, frame);
  };
  return stepInto(of, item, { read, isOptional, missing: () => 'the item does not exist' });
}

/** An item of a list. @param index from 0 to size - 1 */
export function itemAt(list: ListValue, index: number, frame: Frame): Value {
  const item = list.read(index, frame);
  charged(item, frame);
  return item;
}

/** Bytes of the data are decoded from text at each read. */
function charged(value: Value | undefined, frame: Frame): Value | undefined {
  if (value instanceof Uint8Array) frame.spendOnText(value.length);
  return value;
}

function itemType(type: Type, key: Type): Type | undefined {
  if (type.kind === 'dyn') return types.DYN;
  if (type.kind === 'list') return types.areOrdered(key, types.INT) ? type.of : undefined;
  if (type.kind === 'map') return accepts(type.key, key) ? type.of : undefined;
  return undefined;
}

/** Undefined where the list has no such item. */
function indexIn(list: ListValue, key: Value): number | undefined {
  const index = typeof key === 'bigint' ? Number(key) : key instanceof Uint ? Number(key.value) : key;
  if (typeof index !== 'number' || !Number.isInteger(index))
    return fail(`a ${getKind(key)} is not a list index`);
  return index >= 0 && index < list.size ? index : undefined;
}

function unwrapped(type: Type): Type {
  return type.kind === 'optional' ? type.of : type;
}

interface Step {
  /** Undefined when the value does not have it. */
  readonly read: (value: Value, frame: Frame) => Value | undefined;
  readonly isOptional: boolean;
  readonly missing: () => string;
}

/** Everything that is read through an optional is optional too. */
function stepInto(of: Compiled, type: Type, { read, isOptional, missing }: Step): Compiled {
  if (!isOptional && of.type.kind !== 'optional')
    return {
      type,
      run: (frame) => {
        const found = readOptional(of.run(frame), frame, read);
        return found === undefined ? fail(missing()) : found;
      },
    };
  return {
    type: types.optionalType(type),
    run: (frame) => {
      const value = of.run(frame);
      const from = value instanceof OptionalValue ? value.value : value;
      const found = from === undefined || from === null ? undefined : read(from, frame);
      return found === undefined ? OptionalValue.NONE : new OptionalValue(found);
    },
  };
}

/** A value of unknown type may be an optional. */
function readOptional(value: Value, frame: Frame, read: Step['read']): Value | undefined {
  if (!(value instanceof OptionalValue)) return read(value, frame);
  const found = value.value === undefined ? undefined : read(value.value, frame);
  return found === undefined ? OptionalValue.NONE : new OptionalValue(found);
}

/** `item in list`, `key in map`. @throws ExpressionFault */
export function isIn(item: Compiled, all: Compiled, at: number): Compiled {
  const { type } = all;
  const fits =
    type.kind === 'dyn' ||
    (type.kind === 'list' && (accepts(type.of, item.type) || accepts(item.type, type.of))) ||
    (type.kind === 'map' && accepts(type.key, item.type));
  if (!fits)
    throw new ExpressionFault(
      `"in" cannot search for a ${nameOfType(item.type)} in a ${nameOfType(type)}`,
      at,
    );
  return {
    type: types.BOOL,
    run: (frame) => {
      frame.spend(1);
      const [wanted, value] = [item.run(frame), all.run(frame)];
      if (value instanceof ListValue) return holds(value, wanted, frame);
      return value instanceof MapValue ? value.has(wanted) : fail(`a ${getKind(value)} has no items`);
    },
  };
}
