import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { closeSearchPanel } from '@codemirror/search';
import { Annotation, Compartment, EditorState, Transaction, type Text } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type ReactNode, type Ref } from 'react';
import type { JsonObject } from '../lib/json.js';
import { colors, look } from './look.js';
import { language } from '../language.js';
import { useStore } from '../lib/store.js';
import { getCompletion } from './schema/completion.js';
import { foldCopies, folding, inLanguage, searching } from './extensions.js';
import { goTo, lineIn } from './go-to.js';
import type { Guide, Mark } from './places.js';
import { changesBetween } from './text-changes.js';

interface CodeEditorProps {
  /** Its name; absent: that of the format. */
  readonly label?: string;
  readonly value: string;
  readonly marks?: readonly Mark[];
  /** Without it, fields have no documentation. */
  readonly schema?: JsonObject | undefined;
  readonly isReadOnly?: boolean;
  readonly onChange: (value: string) => void;
  readonly ref?: Ref<Guide>;
}

const NO_MARKS: readonly Mark[] = [];
const NO_SCHEMA: JsonObject = {};
const speaking = new Compartment();
const writing = new Compartment();
/** Marks a text that the page set in the editor. */
const given = Annotation.define<true>();

/** A text editor for YAML. It is in a shadow tree: there its styles are objects, which need no exception in the page's policy. */
export function CodeEditor(props: CodeEditorProps): ReactNode {
  const { label, value, marks = NO_MARKS, schema = NO_SCHEMA, isReadOnly = false, onChange, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  /** Texts that the page received and has not returned as a value. */
  const unreported = useRef<string[]>([]);
  const latest = useRef({ label, value, schema, isReadOnly, onChange });
  useEffect(() => {
    latest.current = { label, value, schema, isReadOnly, onChange };
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const schemaNow = (): JsonObject => latest.current.schema;
    const editor = new EditorView({
      doc: latest.current.value,
      root,
      parent: root,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        highlightActiveLine(),
        bracketMatching(),
        yaml(),
        autocompletion({ override: [getCompletion(schemaNow)], icons: false }),
        searching,
        folding,
        speaking.of(inLanguage(schemaNow, latest.current.label)),
        syntaxHighlighting(colors),
        look,
        EditorView.lineWrapping,
        writing.of(EditorState.readOnly.of(latest.current.isReadOnly)),
        // Accessibility checkers recognise focusable elements only by the index.
        EditorView.contentAttributes.of({ spellcheck: 'false', tabindex: '0' }),
        EditorView.domEventHandlers({ beforeinput: insertLines }),
        keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (!docChanged || transactions.some((one) => one.annotation(given))) return;
          const typed = state.doc.toString();
          unreported.current.push(typed);
          latest.current.onChange(typed);
        }),
      ],
    });
    foldCopies(editor);
    view.current = editor;
    return () => editor.destroy();
  }, []);
  const spoken = useStore(language);
  // Together with the buttons' state: no input may occur in between.
  useLayoutEffect(() => {
    view.current?.dispatch({ effects: writing.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const said = inLanguage(() => latest.current.schema, latest.current.label);
    editor.dispatch({ effects: speaking.reconfigure(said) });
    // An open panel keeps the language of its opening.
    closeSearchPanel(editor);
  }, [spoken]);
  useEffect(() => {
    const editor = view.current;
    // Typed text returns later as a value, when more may have been typed: only other texts are new.
    const known = unreported.current.indexOf(value);
    unreported.current = known < 0 ? [] : unreported.current.slice(known + 1);
    if (editor === null || known >= 0 || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: changesBetween(editor.state.doc.toString(), value),
      // Another writer's text: the user cannot undo it.
      annotations: [given.of(true), Transaction.addToHistory.of(false)],
    });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    editor.dispatch(
      setDiagnostics(
        editor.state,
        marks.map((mark) => diagnosticAt(editor.state.doc, mark)),
      ),
    );
  }, [marks]);
  useImperativeHandle(
    ref,
    () => ({
      leadTo: (goal) => view.current && goTo(view.current, goal),
      rewrite: (content) =>
        view.current?.dispatch({
          changes: changesBetween(view.current.state.doc.toString(), content),
          annotations: isolateHistory.of('full'),
        }),
    }),
    [],
  );
  return <div ref={host} className="editor" />;
}

/**
 * Inserts text of several lines, for example from a dictation, or over a selection of several lines. By default the browser would
 * insert elements with styles, which the page's policy refuses.
 */
function insertLines(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  const selected = findSelection(view);
  const { doc, readOnly } = view.state;
  if (readOnly || inputType !== 'insertText' || data === null || selected === undefined) return false;
  const { from, to } = selected;
  if (doc.lineAt(from).number === doc.lineAt(to).number && !data.includes('\n')) return false;
  const changes = { from, to, insert: data };
  view.dispatch({ changes, selection: { anchor: from + data.length }, userEvent: 'input.paste' });
  return true;
}

/** The browser's selection, which may be newer than the editor's; undefined when the browser does not return it. */
function findSelection(view: EditorView): { from: number; to: number } | undefined {
  const root: DocumentOrShadowRoot & { getSelection?: () => Selection | null } = view.root;
  // In a shadow tree, Chromium returns it from the tree and other browsers from the document.
  const selection = root.getSelection?.() ?? document.getSelection();
  const { anchorNode = null, focusNode = null } = selection ?? {};
  const isInside = view.contentDOM.contains(anchorNode) && view.contentDOM.contains(focusNode);
  if (selection === null || anchorNode === null || focusNode === null || !isInside) return undefined;
  const ends = [
    view.posAtDOM(anchorNode, selection.anchorOffset),
    view.posAtDOM(focusNode, selection.focusOffset),
  ];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

function diagnosticAt(doc: Text, { line, message }: Mark): Diagnostic {
  const { from, to } = lineIn(doc, line);
  return { from, to, severity: 'error', message };
}
