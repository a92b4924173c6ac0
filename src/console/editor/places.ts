/** A position in a text; both numbers start from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** An error in a text. The whole line is marked. */
export interface Mark extends Place {
  readonly message: string;
}

/** The target of a jump: a field by its dotted path, or a place in the text. */
export type Goal = { readonly field: string } | Place;

export interface Guide {
  readonly leadTo: (goal: Goal) => void;
  /** Replaces the text as if it was typed, so that it can be undone. */
  readonly rewrite: (content: string) => void;
}
