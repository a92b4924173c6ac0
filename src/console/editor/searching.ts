import { closeSearchPanel, findNext, findPrevious, openSearchPanel, search } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { getDialog, keymap, showDialog, type EditorView } from '@codemirror/view';
import { text } from '../texts.js';
import { goTo } from './go-to.js';

const LINE_DIALOG = 'cm-goto-line';
const scope = 'editor search-panel';

/** Finds and replaces in the text, and goes to a line of it. */
export const searching: Extension = [
  search({ top: true }),
  keymap.of([
    { key: 'Mod-f', run: openSearchPanel, scope },
    { key: 'F3', run: findNext, shift: findPrevious, scope, preventDefault: true },
    { key: 'Mod-g', run: findNext, shift: findPrevious, scope, preventDefault: true },
    { key: 'Escape', run: closeSearchPanel, scope },
    // There, Alt+G writes a letter.
    { key: 'Alt-g', mac: 'Mod-Alt-g', run: askForLine },
  ]),
];

/**
 * The package has such a command as well. Within a shadow tree, that one does not know where the focus is, and loses it.
 */
function askForLine(view: EditorView): boolean {
  const open = getDialog(view, LINE_DIALOG);
  if (open !== null) {
    open.dom.querySelector('input')?.select();
    return true;
  }
  const { result } = showDialog(view, {
    class: LINE_DIALOG,
    label: text.search.line,
    input: { name: 'line', type: 'text', inputmode: 'numeric', autocomplete: 'off' },
    submitLabel: text.search.go,
    focus: true,
    top: true,
  });
  void result.then((form) => {
    const field = form?.elements.namedItem('line');
    const line = field instanceof HTMLInputElement ? /^\d+/.exec(field.value.trim())?.[0] : undefined;
    // It ends with the editor as well.
    if (!view.dom.isConnected) return;
    if (line === undefined) view.focus();
    else goTo(view, { line: Number(line), column: 1 });
  });
  return true;
}
