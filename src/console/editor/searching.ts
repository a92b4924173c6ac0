import { closeSearchPanel, findNext, findPrevious, openSearchPanel, search } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { getDialog, keymap, showDialog, type EditorView } from '@codemirror/view';
import { t } from '../texts.js';
import { goTo } from './go-to.js';

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
