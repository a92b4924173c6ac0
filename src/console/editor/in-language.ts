import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { JsonObject } from '../lib/json.js';
import { text } from '../texts.js';
import { documentation } from './schema/documentation.js';

/** The texts of the editor in the current language: its name, the documentation of fields, and its own parts. */
export function inLanguage(schema: () => JsonObject): Extension {
  const { editor, search } = text;
  const phrases = {
    Completions: editor.completions,
    Diagnostics: editor.diagnostics,
    'No diagnostics': editor.noDiagnostics,
    close: text.close,
    Find: search.find,
    Replace: search.replaceWith,
    next: search.next,
    previous: search.previous,
    'match case': search.matchCase,
    regexp: search.regularExpression,
    'by word': search.wholeWords,
    replace: search.replace,
    'replace all': search.replaceAll,
    'current match': search.match,
    'on line': search.onLine,
    'replaced match on line $': search.replaced,
    'replaced $ matches': search.replacedAll,
  };
  return [
    documentation(schema),
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({ 'aria-label': editor.label }),
  ];
}
