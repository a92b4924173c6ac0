/** An error in an expression, with its place in the text. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';

  constructor(
    readonly reason: string,
    /** A string index. */
    readonly at: number,
  ) {
    super(reason);
  }
}

/** The number of the character at an index of a text, counted from 1, for messages. */
export function characterAt(text: string, at: number): number {
  return Array.from(text.slice(0, at)).length + 1;
}
