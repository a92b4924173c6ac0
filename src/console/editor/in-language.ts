import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { JsonObject } from '../lib/json.js';
import { t } from '../texts.js';
import { documentation } from './schema/documentation.js';

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
