import { codeFolding, foldEffect } from '@codemirror/language';
import type { StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/** The value of an annotation that is a copy of the object, with its more indented lines. */
const COPY = /^( +)["']?[\w.-]+\/last-applied(?:-configuration)?["']?:( .*(?:\n\1 +.*)*)/gm;

/** Folded text opens by a click on its sign. */
export const folding = codeFolding({ placeholderText: '…' });

/** Folds the copies that clients of `apply` keep in annotations. */
export function foldCopies(view: EditorView): void {
  const effects: StateEffect<unknown>[] = [];
  for (const { 0: all, 2: value = '', index } of view.state.doc.toString().matchAll(COPY)) {
    const to = index + all.length;
    effects.push(foldEffect.of({ from: to - value.length + 1, to }));
  }
  view.dispatch({ effects });
}
