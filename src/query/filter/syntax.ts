import { badRequest, type ServiceError } from '../../errors.js';

/** An expression as it was written; `at` is where it stands in the text, for messages. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: string | boolean | bigint | number }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly key: Expression }
  | {
      readonly kind: 'call';
      /** What stands before the dot. */
      readonly on: Expression | undefined;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'sum';
      readonly operator: '+' | '-';
      readonly left: Expression;
      readonly right: Expression;
    }
);

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in';

/** An expression of one kind. */
export type ExpressionOf<K extends Expression['kind']> = Expression & { readonly kind: K };

/** The error for a fault in a filter; its message names the character, counted from 1. */
export function faultIn(text: string, at: number, reason: string): ServiceError {
  return badRequest(`filter: ${reason}, at character ${Array.from(text.slice(0, at)).length + 1}`);
}
