import { isObject } from '../../lib/json.js';
import type { Branch, Shape } from '../shape/shape.js';

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

function isOf(shape: Shape, value: unknown): boolean {
  switch (shape.shape) {
    case 'list':
      return Array.isArray(value);
    case 'group':
    case 'map':
      return isObject(value);
    case 'scalar':
      return isScalarOf(shape.kind, value);
    default:
      return true;
  }
}

function isScalarOf(kind: string, value: unknown): boolean {
  if (kind === 'integer' || kind === 'number') return typeof value === 'number' || typeof value === 'bigint';
  return kind === 'boolean' ? typeof value === 'boolean' : typeof value === 'string';
}
