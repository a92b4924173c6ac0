import type { Expression, ExpressionOf } from '../../cel/text/syntax.js';
import type { Resource } from '../../model/resource.js';

/** A model, and those to which its references lead. */
export interface TargetModel {
  readonly resource: Resource;
  readonly target: FindTarget;
}

/**
 * The model of the targets of a reference.
 * @param field the path of the reference
 * @throws ServiceError `BadRequest` when it is not one
 */
export type FindTarget = (field: string) => TargetModel;

/** An expression on the targets of a reference. */
export interface Referring {
  /** `ref(<field>)`. */
  readonly call: ExpressionOf<'call'>;
  /** The expression that the targets must meet. */
  readonly rest: Expression;
}

/**
 * Splits an expression with a field of the form `ref(a).b`, which is `b` of the targets of `a`. `ref(ref(a).b).c` is
 * `ref(b).c` of the targets of `a`. Undefined without such a field.
 */
export function splitRef(expression: Expression): Referring | undefined {
  switch (expression.kind) {
    case 'member':
      return splitMember(expression);
    case 'item':
      return within(expression.of, (of) => ({ ...expression, of }));
    case 'negative':
      return within(expression.of, (of) => ({ ...expression, of }));
    case 'comparison':
    case 'arithmetic':
      return (
        within(expression.left, (left) => ({ ...expression, left })) ??
        within(expression.right, (right) => ({ ...expression, right }))
      );
    case 'call':
      return splitCall(expression);
    default:
      return undefined;
  }
}

export function isRef(expression: Expression): expression is ExpressionOf<'call'> {
  return expression.kind === 'call' && expression.on === undefined && expression.name === 'ref';
}

function splitMember(member: ExpressionOf<'member'>): Referring | undefined {
  const { of, name, nameAt, isOptional } = member;
  if (!isRef(of) || isOptional) return within(of, (inner) => ({ ...member, of: inner }));
  const inner = splitCall(of);
  if (inner !== undefined) return { call: inner.call, rest: { ...member, of: inner.rest } };
  return { call: of, rest: { kind: 'name', name, at: nameAt } };
}

function splitCall(call: ExpressionOf<'call'>): Referring | undefined {
  const { on, args } = call;
  const found = on && within(on, (inner) => ({ ...call, on: inner }));
  // Inside of exists, conditions are on one value.
  if (found !== undefined || call.name === 'exists') return found;
  for (const [at, argument] of args.entries()) {
    const split = within(argument, (inner) => ({ ...call, args: args.with(at, inner) }));
    if (split !== undefined) return split;
  }
  return undefined;
}

function within(part: Expression, whole: (rest: Expression) => Expression): Referring | undefined {
  const found = splitRef(part);
  return found && { call: found.call, rest: whole(found.rest) };
}
