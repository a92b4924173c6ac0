import { codeFolding, foldEffect } from '@codemirror/language';
import { closeSearchPanel, findNext, findPrevious, openSearchPanel, search } from '@codemirror/search';
import { EditorState, type Extension, type StateEffect } from '@codemirror/state';
import { EditorView, getDialog, keymap, showDialog } from '@codemirror/view';
import type { JsonObject } from '../lib/json.js';
import { t } from '../texts.js';
import { goTo } from './go-to.js';
import { documentation } from './schema/documentation.js';

const LINE_DIALOG = 'cm-goto-line';
const scope = 'editor search-panel';

/** Search and replace in the text, and a jump to a line. */
export const searching: Extension = [
  search({ top: true }),
  keymap.of([
    { key: 'Mod-f', run: openSearchPanel, scope },
    { key: 'F3', run: findNext, shift: findPrevious, scope, preventDefault: true },
    { key: 'Mod-g', run: findNext, shift: findPrevious, scope, preventDefault: true },
    { key: 'Escape', run: closeSearchPanel, scope },
    // On a Mac, Alt+G writes a letter.
    { key: 'Alt-g', mac: 'Mod-Alt-g', run: askForLine },
  ]),
];

/** Replaces the package's command, which in a shadow tree does not find the focus, and loses it. */
function askForLine(view: EditorView): boolean {
  const open = getDialog(view, LINE_DIALOG);
  if (open !== null) {
    open.dom.querySelector('input')?.select();
    return true;
  }
  const { result } = showDialog(view, {
    class: LINE_DIALOG,
    label: t`Go to line`,
    input: { name: 'line', type: 'text', inputmode: 'numeric', autocomplete: 'off' },
    submitLabel: t`Go`,
    focus: true,
    top: true,
  });
  void result.then((form) => {
    const field = form?.elements.namedItem('line');
    const line = field instanceof HTMLInputElement ? /^\d+/.exec(field.value.trim())?.[0] : undefined;
    // The panel also ends with the editor.
    if (!view.dom.isConnected) return;
    if (line === undefined) view.focus();
    else goTo(view, { line: Number(line), column: 1 });
  });
  return true;
}

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

/** The texts of the editor in the current language: its name, the documentation of fields, and its own parts. */
export function inLanguage(schema: () => JsonObject, label = t`YAML`): Extension {
  const phrases = {
    Completions: t`Completions`,
    Diagnostics: t`Diagnostics`,
    'No diagnostics': t`No diagnostics`,
    close: t`Close`,
    Find: t`Find`,
    Replace: t`Replace with`,
    next: t`Next`,
    previous: t`Previous`,
    'match case': t`Match case`,
    regexp: t`Regular expression`,
    'by word': t`Whole words`,
    replace: t`Replace`,
    'replace all': t`Replace all`,
    'current match': t`Match`,
    'on line': t`on line`,
    'replaced match on line $': t`Replaced on line $`,
    'replaced $ matches': t`Replaced: $`,
    'folded code': t`Folded text`,
    unfold: t`Show`,
  };
  return [
    documentation(schema),
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({ 'aria-label': label }),
  ];
}
