import type { LineCounter } from 'yaml';

/** Where something is in a text; both are from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Something that is wrong with a text. The whole line is marked. */
export interface Mark extends Place {
  readonly message: string;
}

/** What somebody wants to go to: a field by its dotted path, or a place in the text. */
export type Goal = { readonly field: string } | Place;

/** What can be asked of a text that somebody edits. */
export interface Guide {
  /** Leads to a part of it. */
  readonly leadTo: (goal: Goal) => void;
  /** Puts another text in its place, as if somebody had typed it: that can be undone. */
  readonly rewrite: (content: string) => void;
}

/** The place of a position, which is from 0. */
export function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
