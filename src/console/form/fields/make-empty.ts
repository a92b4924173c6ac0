import type { Shape } from '../shape/shape.js';

/** The value of a new item or member. */
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
export function withFixed(value: unknown, required: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fixed = Object.entries(required).filter(([, only]) => only !== undefined);
  return { ...value, ...Object.fromEntries(fixed) };
}
