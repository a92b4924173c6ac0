import { useMemo, useRef, useState, type ReactNode } from 'react';
import { isConflict } from '../../../api/errors.js';
import type { Model } from '../../../api/models.js';
import { ContentEditor } from '../../../editor/content-editor.js';
import { EditBar, useTour } from '../../../editor/edit-bar.js';
import { syntaxMarks } from '../../../editor/document.js';
import { findRestorer, type Loaded } from '../../../editor/drafts.js';
import type { Goal, Guide } from '../../../editor/places.js';
import { getCauses, getMarks, Problems } from '../../../editor/problems.js';
import { useSyntax } from '../../../editor/use-syntax.js';
import { Notice } from '../../../parts/notice.js';
import { say } from '../../../parts/dialogs/toasts.js';
import type { Way } from '../../../routes/route.js';
import { text } from '../../../texts.js';
import { Conflict } from './conflict.js';
import { Preview } from './preview.js';
import { useYamlEdit, type YamlEdit } from './use-yaml-edit.js';

interface YamlEditorProps {
  readonly path: string;
  /** The current text. */
  readonly current: Loaded;
  /** True when the object was deleted. */
  readonly isGone: boolean;
  readonly model: Model | undefined;
  readonly way: Way;
  readonly yamlHref: string;
  /** True when it is displayed only. */
  readonly isReadOnly: boolean;
}

export function YamlEditor(props: YamlEditorProps): ReactNode {
  const { path, current, isGone, model, way, yamlHref, isReadOnly } = props;
  const edit = useYamlEdit(path, current);
  const { save } = edit;
  const syntax = useSyntax(edit.text);
  // For the sent text: while the user corrects it, the marks move with its lines.
  const [sent, setSent] = useState('');
  const refused = useMemo(() => getMarks(save.error, sent), [save.error, sent]);
  const marks = useMemo(() => [...syntax, ...refused], [syntax, refused]);
  const guide = useRef<Guide>(null);
  const lead = (goal: Goal): void => guide.current?.leadTo(goal);
  const tour = useTour({ syntax, error: save.error, sent, isSaving: edit.isSaving, onLead: lead });
  /** Saves over a state of the object; without one, the object is created. */
  const submit = (over?: Loaded): void => {
    const invalid = syntaxMarks(edit.text);
    if (invalid.length > 0) {
      tour.begin(invalid);
      return;
    }
    if (!edit.isDirty) {
      say(text.editor.unchanged);
      return;
    }
    setSent(edit.text);
    save.mutate(over, { onSuccess: () => say(text.editor[over === undefined ? 'created' : 'saved']) });
  };
  const discard = (): void => {
    const run = findRestorer(path);
    save.reset();
    guide.current?.rewrite(edit.base.text);
    if (run !== undefined) say(text.editor.discarded, { label: text.history.undo, run });
  };
  const [isComparing, setIsComparing] = useState(false);
  const conflict = isConflict(save.error) && edit.isDirty;
  return (
    <div className="stack">
      {conflict && <Conflict edit={edit} current={current} onSave={() => submit(current)} />}
      {!conflict && <EditorNotices edit={edit} current={current} isGone={isGone} onCreate={() => submit()} />}
      <Problems syntax={syntax} error={conflict ? null : save.error} onLead={lead} />
      <ContentEditor
        way={way}
        model={model}
        isNew={false}
        isReadOnly={isReadOnly}
        value={edit.text}
        marks={marks}
        causes={getCauses(save.error)}
        yamlHref={yamlHref}
        onChange={edit.type}
        ref={guide}
      />
      {isComparing && (
        <Preview path={path} edit={edit} current={current} isValid={syntax.length === 0 && !isGone} />
      )}
      {way === 'yaml' && !isReadOnly && <p className="faint">{text.editor.help}</p>}
      {/* Changes by controllers only do not change the text. */}
      {!isReadOnly && (
        <EditorActions
          edit={edit}
          tour={tour}
          isComparing={isComparing}
          onCompare={() => setIsComparing(!isComparing)}
          onSave={() => submit(current.text === edit.base.text ? current : edit.base)}
          onDiscard={discard}
        />
      )}
    </div>
  );
}

type EditorNoticesProps = {
  readonly edit: YamlEdit;
  /** Creates an object from the input when another user deleted the edited one. */
  readonly onCreate: () => void;
} & Pick<YamlEditorProps, 'current' | 'isGone'>;

function EditorNotices({ edit, current, isGone, onCreate }: EditorNoticesProps): ReactNode {
  const warnings = edit.save.data ?? [];
  if (isGone && edit.isDirty)
    return (
      <Notice tone="attention">
        <p>{text.editor.conflictGone}</p>
        <button type="button" disabled={edit.isSaving} onClick={onCreate}>
          {text.editor.createAgain}
        </button>
      </Notice>
    );
  if (edit.isDirty && current.text !== edit.base.text)
    return <Notice tone="attention">{text.editor.otherChange}</Notice>;
  if (edit.isDirty || warnings.length === 0) return null;
  return (
    <Notice tone="attention" title={text.editor.warnings}>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Notice>
  );
}

interface EditorActionsProps {
  readonly edit: YamlEdit;
  readonly tour: ReturnType<typeof useTour>;
  readonly isComparing: boolean;
  readonly onCompare: () => void;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}

function EditorActions(props: EditorActionsProps): ReactNode {
  const { edit, tour, isComparing, onCompare, onSave, onDiscard } = props;
  const { isDirty, isSaving } = edit;
  return (
    <EditBar tour={tour} isDirty={isDirty}>
      <button type="button" className="primary" disabled={isSaving} onClick={onSave}>
        {isSaving ? text.editor.saving : text.save}
      </button>
      <button type="button" aria-pressed={isComparing} onClick={onCompare}>
        {isComparing ? text.editor.hideChanges : text.editor.changes}
      </button>
      <button type="button" disabled={!isDirty || isSaving} onClick={onDiscard}>
        {text.editor.discard}
      </button>
    </EditBar>
  );
}
