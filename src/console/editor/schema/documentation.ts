import type { Extension } from '@codemirror/state';
import { hoverTooltip, showPanel, type Panel } from '@codemirror/view';
import type { JsonObject } from '../../lib/json.js';
import { t } from '../../texts.js';
import { docAt, docElement } from './field-doc.js';
import { fieldAt } from './place.js';

/** The documentation of the field under the pointer or, for keyboard users, at the cursor. */
export function documentation(schema: () => JsonObject): Extension {
  return [
    hoverTooltip((view, position) => {
      const field = fieldAt(view.state.doc, position);
      const doc = field === undefined ? undefined : docAt(schema(), field.path);
      if (field === undefined || doc === undefined || position > field.to) return null;
      return { pos: field.from, end: field.to, above: true, create: () => ({ dom: docElement(doc) }) };
    }),
    showPanel.of(() => cursorPanel(schema)),
  ];
}

function cursorPanel(schema: () => JsonObject): Panel {
  const hint = t`The schema of the field at the cursor is shown here. Ctrl+Space completes.`;
  const dom = document.createElement('div');
  dom.className = 'cm-field-panel';
  dom.role = 'note';
  dom.ariaLabel = t`The field at the cursor`;
  dom.textContent = hint;
  let shown = '';
  return {
    dom,
    update: ({ state, selectionSet, docChanged }) => {
      if (!selectionSet && !docChanged) return;
      const field = fieldAt(state.doc, state.selection.main.head);
      const doc = field && docAt(schema(), field.path);
      const key = JSON.stringify(doc);
      if (key === shown) return;
      shown = key;
      dom.replaceChildren(doc === undefined ? hint : docElement(doc));
    },
  };
}
