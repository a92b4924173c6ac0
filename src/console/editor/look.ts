import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const FOCUS = { outline: '2px solid var(--accent)', outlineOffset: '1px' } as const;

const FIND = {
  '.cm-panels-top': { borderBottom: '1px solid var(--line) !important' },
  '.cm-panel.cm-search, .cm-panel.cm-goto-line': {
    padding: '0.4rem 2rem 0.4rem 0.6rem',
    fontFamily: 'var(--sans)',
    fontSize: '13px',
  },
  // Only one cursor is supported.
  '.cm-search [name=select]': { display: 'none' },
  '.cm-panel.cm-search label, .cm-panel.cm-goto-line label': { fontSize: 'inherit', whiteSpace: 'normal' },
  '.cm-panel.cm-search label': { display: 'inline-flex', gap: '0.25rem', alignItems: 'center' },
  '.cm-panel.cm-search :is(input, button, label)': { verticalAlign: 'middle' },
  '.cm-panel input[type=checkbox]': { margin: '0', accentColor: 'var(--accent)' },
  '.cm-panel.cm-goto-line input': { marginInline: '0.3rem' },
  '.cm-textfield, .cm-button': {
    padding: '0.2rem 0.5rem',
    border: '1px solid var(--line) !important',
    borderRadius: '6px',
    background: 'var(--card) !important',
    color: 'var(--text)',
    font: 'inherit',
  },
  '.cm-textfield::placeholder': { color: 'var(--faint)' },
  '.cm-panel [name=close], .cm-dialog-close': {
    top: '0.35rem',
    right: '0.4rem',
    width: '1.5rem',
    height: '1.5rem',
    color: 'var(--faint)',
    cursor: 'pointer',
  },
  '.cm-panel :is(input, button):focus-visible': FOCUS,
  '.cm-searchMatch': {
    backgroundColor: 'var(--attention-soft) !important',
    outline: '1px solid var(--attention)',
  },
  '.cm-searchMatch-selected': {
    backgroundColor: 'var(--accent) !important',
    outline: 'none',
    '&, & *': { color: 'var(--on-accent)' },
  },
} as const;

/** The colours are those of the page, in light and dark. */
export const look = EditorView.theme({
  // Its panels lie over its text, and never over the bar of the page.
  '&': { color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '13px', isolation: 'isolate' },
  // The editor's container draws the outline: here, gutters and panels would cover it.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', maxHeight: 'max(16rem, 100dvh - 23rem)' },
  '.cm-content, .cm-gutter': { minHeight: '16rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-field-panel': { padding: '0.4rem 0.75rem', minHeight: '3.4rem', color: 'var(--faint)' },
  '.cm-field-panel, .cm-tooltip': { fontFamily: 'var(--sans)', fontSize: '13px', lineHeight: '1.4' },
  '.cm-field-doc': {
    maxWidth: '40rem',
    color: 'var(--text)',
    overflowWrap: 'anywhere',
    whiteSpace: 'pre-line',
  },
  '.cm-tooltip > .cm-field-doc, .cm-completionInfo > .cm-field-doc': { padding: '0.35rem 0.6rem' },
  '.cm-field-doc-head': { display: 'flex', flexWrap: 'wrap', gap: '0 0.6rem', alignItems: 'baseline' },
  '.cm-field-doc-name': { fontFamily: 'var(--mono)', color: 'var(--code-key)' },
  '.cm-field-doc-type, .cm-field-doc-constraints': { color: 'var(--faint)' },
  '.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '1rem', padding: '0.2rem 0.6rem !important' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent) !important',
    color: 'var(--on-accent) !important',
  },
  '.cm-completionDetail': { marginLeft: 'auto', fontStyle: 'normal', color: 'var(--faint)' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  ...FIND,
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
});

export const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-value)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.meta, color: 'var(--faint)' },
]);
