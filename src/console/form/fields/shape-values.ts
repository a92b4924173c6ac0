import { isObject, type JsonObject } from '../../lib/json.js';
import type { Branch, Shape } from '../shape/shape.js';

export function makeEmpty(shape: Shape): unknown {
  switch (shape.shape) {
    case 'list':
      return [];
    case 'group':
    case 'map':
      return {};
    case 'union': {
      const [first] = shape.branches;
      return first === undefined ? {} : withFixed(makeEmpty(first.shape), first.required);
    }
    default:
      return '';
  }
}

/** An object with the members of a branch that have only one value. */
function withFixed(value: unknown, required: JsonObject): unknown {
  if (!isObject(value)) return value;
  const fixed = Object.entries(required).filter(([, only]) => only !== undefined);
  return { ...value, ...Object.fromEntries(fixed) };
}

/** A value for another branch: members that it has too are kept. */
export function converted(value: unknown, { shape, required }: Branch): unknown {
  if (shape.shape !== 'group' || !isObject(value)) return withFixed(makeEmpty(shape), required);
  const kept = Object.entries(value).filter(([name]) => shape.fields.some((field) => field.name === name));
  return withFixed(Object.fromEntries(kept), required);
}

/** The branch that a value is most like; -1 without a value. */
export function findBranch(branches: readonly Branch[], value: unknown): number {
  if (value === undefined || value === null) return -1;
  const scores = branches.map((branch) => getScore(branch, value));
  return scores.indexOf(Math.max(...scores));
}

/** Wrong shapes have none, and each required member counts. */
function getScore({ shape, required }: Branch, value: unknown): number {
  if (!isOf(shape, value)) return -1;
  if (!isObject(value)) return 1;
  const names = Object.entries(required);
  if (names.some(([name, only]) => only !== undefined && value[name] !== only)) return 0;
  const present = names.filter(([name]) => Object.hasOwn(value, name)).length;
  const known =
    shape.shape === 'group' ? shape.fields.filter(({ name }) => Object.hasOwn(value, name)).length : 0;
  return 1 + present * 10 + known + (present === names.length ? 100 : 0);
}

/** True when the field of a shape can display a value. */
export function fits(shape: Shape, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  // Input that does not match the type of a value remains text.
  return shape.shape === 'scalar' ? typeof value !== 'object' : isOf(shape, value);
}

function isOf(shape: Shape, value: unknown): boolean {
  switch (shape.shape) {
    case 'list':
      return Array.isArray(value);
    case 'group':
    case 'map':
      return isObject(value);
    case 'scalar':
      if (shape.kind === 'boolean') return typeof value === 'boolean';
      return shape.kind === 'integer' || shape.kind === 'number'
        ? typeof value === 'number' || typeof value === 'bigint'
        : typeof value === 'string';
    default:
      return true;
  }
}
