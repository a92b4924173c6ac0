/** What is wrong with an expression, and where in its text. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';

  constructor(
    readonly reason: string,
    /** As strings are indexed. */
    readonly at: number,
  ) {
    super(reason);
  }
}

/** The number of the character at a place of a text, counted from 1, for messages. */
export function characterAt(text: string, at: number): number {
  return Array.from(text.slice(0, at)).length + 1;
}
