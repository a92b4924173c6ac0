import type { Uint } from '../scalars.js';

/** A parsed expression; `at` is its index in the text, for messages. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'name'; readonly name: string }
  | {
      readonly kind: 'member';
      readonly of: Expression;
      readonly name: string;
      readonly nameAt: number;
      /** True for the form `.?name`. */
      readonly isOptional: boolean;
    }
  | {
      readonly kind: 'item';
      readonly of: Expression;
      readonly key: Expression;
      /** True for the form `[?key]`. */
      readonly isOptional: boolean;
    }
  | {
      readonly kind: 'call';
      /** The expression before the dot. */
      readonly on: Expression | undefined;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly kind: 'not' | 'negative'; readonly of: Expression }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
);

/** A number without a fraction is a bigint; one with a fraction or an exponent is a number. */
export type Literal = string | boolean | bigint | number | null | Uint | Uint8Array;

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

export type ExpressionOf<K extends Expression['kind']> = Expression & { readonly kind: K };

/** The direct parts of an expression. */
export function getParts(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.flat();
    case 'member':
      return [expression.of];
    case 'item':
      return [expression.of, expression.key];
    case 'call':
      return expression.on === undefined ? expression.args : [expression.on, ...expression.args];
    case 'not':
    case 'negative':
      return [expression.of];
    case 'and':
    case 'or':
      return expression.of;
    case 'comparison':
    case 'arithmetic':
      return [expression.left, expression.right];
    case 'conditional':
      return [expression.test, expression.yes, expression.no];
  }
}
