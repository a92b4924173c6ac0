import { getParts, type Expression } from '../../cel/text/syntax.js';
import type { Type } from '../../cel/types.js';
import type { Path } from '../../lib/json/json-difference.js';

/** A part of `self` that an expression reads. */
interface Place {
  readonly path: Path;
  readonly type: Type | undefined;
}

/**
 * The paths of `self` that an expression reads. While their values are unchanged, the result is unchanged. The empty
 * path is the whole value.
 */
export function getReads(expression: Expression, self: Type): readonly Path[] {
  const found: Path[] = [];
  const collect = (part: Expression): void => {
    const place = findPlace(part, self);
    if (place !== undefined) found.push(place.path);
    else for (const inner of getParts(part)) collect(inner);
  };
  collect(expression);
  return found;
}

export function names(expression: Expression, variable: string): boolean {
  if (expression.kind === 'name') return expression.name === variable;
  return getParts(expression).some((part) => names(part, variable));
}

/** The path for `self`, and for its members and items with a literal name or index; undefined for anything else. */
function findPlace(expression: Expression, self: Type): Place | undefined {
  if (expression.kind === 'name') return expression.name === 'self' ? { path: [], type: self } : undefined;
  if (expression.kind === 'member') {
    const of = findPlace(expression.of, self);
    return of && getMember(of, expression.name);
  }
  if (expression.kind !== 'item' || expression.key.kind !== 'literal') return undefined;
  const of = findPlace(expression.of, self);
  const { value } = expression.key;
  if (of === undefined) return undefined;
  if (typeof value === 'string') return getMember(of, value);
  return typeof value === 'bigint' && of.type?.kind === 'list'
    ? { path: [...of.path, Number(value)], type: of.type.of }
    : undefined;
}

function getMember({ path, type }: Place, name: string): Place {
  if (type?.kind === 'object') {
    const field = type.fields.get(name);
    return { path: [...path, field?.name ?? name], type: field?.type() ?? type.others };
  }
  return { path: [...path, name], type: type?.kind === 'map' ? type.of : undefined };
}
