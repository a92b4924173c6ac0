import { useState, type ReactNode } from 'react';
import { isConflict } from '../../../api/errors.js';
import type { Model } from '../../../api/models.js';
import { ContentEditor } from '../../../editor/content-editor.js';
import { EditBar, SaveButton, type useTour } from '../../../editor/edit-bar.js';
import { findDraft, findRestorer, type Loaded } from '../../../editor/drafts.js';
import { getCauses, Problems } from '../../../editor/problems.js';
import { useChangeCount } from '../../../editor/use-change-count.js';
import { useProblems } from '../../../editor/use-problems.js';
import { Notice } from '../../../parts/notice.js';
import { say } from '../../../parts/dialogs/toasts.js';
import type { Way } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { useRecord } from '../record.js';
import { ChangedNote } from './changed-note.js';
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
  /** True when it is displayed only. */
  readonly isReadOnly: boolean;
  /** Beside a form. */
  readonly beside?: ReactNode;
}

export function YamlEditor(props: YamlEditorProps): ReactNode {
  const { path, current, isGone, model, way, isReadOnly, beside } = props;
  const { getHref } = useRecord();
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
  const [shownAt, setShownAt] = useState<string>();
  const isBehind = edit.isDirty && current.text !== edit.base.text;
  const conflict = edit.isDirty && (isConflict(save.error) || (isBehind && shownAt === current.revision));
  const changes = useChangeCount(edit.base.text, edit.text);
  const saveMerged = (merged: string): void => {
    edit.restart(current, merged);
    setSent(merged);
    save.mutate({ text: merged, over: current }, { onSuccess: () => say(t`Saved.`) });
  };
  return (
    <div className="stack">
      {conflict && (
        <Conflict edit={edit} current={current} onSave={() => submit(current)} onMerged={saveMerged} />
      )}
      {!conflict && (
        <EditorNotices
          path={path}
          edit={edit}
          current={current}
          isGone={isGone}
          onCreate={() => submit()}
          onShow={() => setShownAt(current.revision)}
        />
      )}
      <Problems syntax={syntax} error={conflict ? null : save.error} onLead={lead} />
      <div className={beside === undefined || beside === false ? 'stack' : 'record-columns'}>
        <ContentEditor
          way={way}
          model={model}
          isNew={false}
          isReadOnly={isReadOnly}
          value={edit.text}
          marks={marks}
          causes={getCauses(save.error)}
          yamlHref={getHref('yaml')}
          onChange={edit.type}
          ref={guide}
        />
        {beside}
      </div>
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
          changes={changes}
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
  /** Shows both sides. */
  readonly onShow: () => void;
} & Pick<YamlEditorProps, 'path' | 'current' | 'isGone'>;

function EditorNotices({ path, edit, current, isGone, onCreate, onShow }: EditorNoticesProps): ReactNode {
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
    return <ChangedNote path={path} revision={current.revision} onShow={onShow} />;
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
  readonly changes: number | undefined;
  readonly isComparing: boolean;
  readonly onCompare: () => void;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}

function EditorActions(props: EditorActionsProps): ReactNode {
  const { edit, tour, changes, isComparing, onCompare, onSave, onDiscard } = props;
  const { isDirty, isSaving } = edit;
  return (
    <EditBar tour={tour} isDirty={isDirty} changes={changes}>
      <button
        type="button"
        aria-label={t`Discard changes`}
        aria-disabled={!isDirty || isSaving}
        onClick={() => isDirty && !isSaving && onDiscard()}
      >
        {t`Discard`}
      </button>
      <button type="button" aria-pressed={isComparing} onClick={onCompare}>
        {t`Compare`}
      </button>
      <SaveButton isSaving={isSaving} onSave={onSave} />
    </EditBar>
  );
}
