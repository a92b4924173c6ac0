import { useState, type ReactNode } from 'react';
import { isConflict } from '../../../api/errors.js';
import type { Model } from '../../../api/models.js';
import { ContentEditor } from '../../../editor/content-editor.js';
import { EditBar, type useTour } from '../../../editor/edit-bar.js';
import { findDraft, findRestorer, type Loaded } from '../../../editor/drafts.js';
import { getCauses, Problems } from '../../../editor/problems.js';
import { useProblems } from '../../../editor/use-problems.js';
import { Notice } from '../../../parts/notice.js';
import { say } from '../../../parts/dialogs/toasts.js';
import type { Way } from '../../../routes/route.js';
import { t } from '../../../texts.js';
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
  const problems = useProblems({
    content: edit.text,
    error: save.error,
    isSaving: edit.isSaving,
    isForm: way === 'form',
  });
  const { syntax, marks, guide, lead, tour, isValid, setSent } = problems;
  /** Saves over a state of the object; without one, the object is created. */
  const submit = (over?: Loaded): void => {
    // The page may not be rendered since the last key.
    const draft = findDraft(path);
    const text = draft?.text ?? edit.text;
    if (!isValid(text)) return;
    if (draft === undefined) {
      say(t`Nothing was changed.`);
      return;
    }
    setSent(text);
    save.mutate({ text, over }, { onSuccess: () => say(over === undefined ? t`Created.` : t`Saved.`) });
  };
  const discard = (): void => {
    const run = findRestorer(path);
    save.reset();
    guide.current?.rewrite(edit.base.text);
    if (run !== undefined) say(t`Discarded.`, { label: t`Undo`, run });
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
      {way === 'yaml' && !isReadOnly && (
        <p className="faint">{t`Status and fields set by the service are left out. Tab leaves the text; Ctrl+] indents; Ctrl+Space completes; Ctrl+F finds and replaces; Alt+G goes to a line; F8 goes to the next error.`}</p>
      )}
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
        <p>{t`Somebody else deleted this object in the meantime. Your text is kept.`}</p>
        <button type="button" disabled={edit.isSaving} onClick={onCreate}>
          {t`Create it again from my text`}
        </button>
      </Notice>
    );
  if (edit.isDirty && current.text !== edit.base.text)
    return (
      <Notice tone="attention">{t`This object was changed while you were editing it. Saving will show both sides.`}</Notice>
    );
  if (edit.isDirty || warnings.length === 0) return null;
  return (
    <Notice tone="attention" title={t`Saved, with warnings:`}>
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
        {isSaving ? t`Saving…` : t`Save`}
      </button>
      <button type="button" aria-pressed={isComparing} onClick={onCompare}>
        {isComparing ? t`Hide changes` : t`Show changes`}
      </button>
      <button type="button" disabled={!isDirty || isSaving} onClick={onDiscard}>
        {t`Discard changes`}
      </button>
    </EditBar>
  );
}
