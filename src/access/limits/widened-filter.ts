import { getParts, type Expression } from '../../cel/text/syntax.js';
import { ServiceError } from '../../errors.js';
import { parsed } from '../../query/filter/fault.js';

/** A change of what filters know of a user. */
export interface MemberChange {
  /** True for a user who had no rights before. */
  readonly isNew: boolean;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** True when a filter may give a user more objects after a change: by its name, or by its groups. */
export function isWidened(filter: string, change: MemberChange): boolean {
  try {
    return mayWiden(parsed(filter), change, false);
  } catch (error) {
    // A filter that cannot be read gives no objects.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function mayWiden(expression: Expression, change: MemberChange, isNegated: boolean): boolean {
  if (expression.kind === 'name') return change.isNew && expression.name === 'user';
  if (expression.kind === 'not') return mayWiden(expression.of, change, !isNegated);
  if (expression.kind === 'comparison' && expression.operator === 'in' && isGroups(expression.right)) {
    if (isNegated && change.isNew) return true;
    const { left } = expression;
    return (isNegated ? change.removed : change.added).some(
      (name) => left.kind !== 'literal' || left.value === name,
    );
  }
  return getParts(expression).some((part) => mayWiden(part, change, isNegated));
}

function isGroups(expression: Expression): boolean {
  return expression.kind === 'name' && expression.name === 'groups';
}
