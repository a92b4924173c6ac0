import type { Line, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { fieldPlaces } from './document.js';
import type { Goal } from './places.js';

/** Puts the cursor at a place, scrolls it to the middle, and focuses the text. */
export function goTo(view: EditorView, goal: Goal): void {
  const { doc } = view.state;
  const { line, column } = 'field' in goal ? fieldPlaces(doc.toString())(goal.field) : goal;
  const { from, to } = lineIn(doc, line);
  const position = Math.min(from + column - 1, to);
  view.dispatch({
    selection: { anchor: position },
    effects: EditorView.scrollIntoView(position, { y: 'center' }),
    userEvent: 'select',
  });
  view.focus();
}

/** A line by its number; the first or the last one for a number outside the range. */
export function lineIn(doc: Text, line: number): Line {
  return doc.line(Math.max(1, Math.min(line, doc.lines)));
}
