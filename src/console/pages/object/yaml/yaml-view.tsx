import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isConflict } from '../../../api/errors.js';
import { getJson } from '../../../api/http.js';
import { objectPath, type Model } from '../../../api/models.js';
import { useMay } from '../../../api/platform/rights.js';
import { ContentEditor } from '../../../editor/content-editor.js';
import { findDraft, findRestorer, type Loaded } from '../../../editor/drafts.js';
import { EditBar, SaveButton } from '../../../editor/edit-bar.js';
import { Problems } from '../../../editor/problems.js';
import { useChangeCount } from '../../../editor/use-change-count.js';
import { useProblems } from '../../../editor/use-problems.js';
import { arrayAt, textAt } from '../../../lib/json.js';
import { useLast } from '../../../lib/use-last.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { Notice, Pending } from '../../../parts/notice.js';
import type { Way } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { useRecord } from '../record.js';
import { VersionNotice } from '../versions.js';
import { Conflict } from './conflict.js';
import { Preview } from './preview.js';
import { loadText } from './requests.js';
import { useYamlEdit, type YamlEdit } from './use-yaml-edit.js';

interface YamlViewProps {
  /** The current or last revision of the object; undefined when it was not read. */
  readonly revision: string | undefined;
  /** True when the object was deleted. */
  readonly isGone: boolean;
  readonly way: Way;
  /** Beside a form. */
  readonly beside?: ReactNode;
}

/** An editor for the text of an object: as YAML, or as a form. */
export default function YamlView({ revision, ...shared }: YamlViewProps): ReactNode {
  const { modelRef, name, model: served } = useRecord();
  const { isGone } = shared;
  // While its plugin is stopped, the form does not change.
  const model = useLast(served);
  const mayUpdate = useMay('update', modelRef, name);
  const path = objectPath(modelRef, name);
  const isThere = !isGone && revision !== undefined;
  const { data, error, refetch } = useQuery({
    queryKey: ['yaml', path, revision],
    queryFn: ({ signal }) => loadText(path, signal),
    enabled: isThere,
    staleTime: Infinity,
  });
  // A deleted object has no text to read: then the draft still has its base.
  const [before] = useState(() => findDraft(path)?.base);
  const current = useLast(data) ?? before;
  const reading = <Pending error={error} onRetry={() => void refetch()} />;
  if (current === undefined) return isThere && reading;
  return (
    <>
      {isThere && error !== null && reading}
      {!mayUpdate && <Notice tone="plain">{t`You may view this object, but not change it.`}</Notice>}
      {mayUpdate && <VersionNotice />}
      <YamlEditor {...shared} isReadOnly={!mayUpdate} path={path} current={current} model={model} />
    </>
  );
}

interface YamlEditorProps extends Omit<YamlViewProps, 'revision'> {
  readonly path: string;
  readonly current: Loaded;
  readonly model: Model | undefined;
  readonly isReadOnly: boolean;
}

function YamlEditor(props: YamlEditorProps): ReactNode {
  const { path, current, isGone, model, way, isReadOnly, beside } = props;
  const { getHref } = useRecord();
  const edit = useYamlEdit(path, current);
  const { base, text, isDirty, isSaving, save } = edit;
  const problems = useProblems({ content: text, error: save.error, isSaving, isForm: way === 'form' });
  const send = (sent: string, over: Loaded | undefined): void => {
    problems.setSent(sent);
    save.mutate({ text: sent, over }, { onSuccess: () => say(over === undefined ? t`Created.` : t`Saved.`) });
  };
  /** Saves over a state of the object; without one, the object is created. */
  const submit = (over?: Loaded): void => {
    // The page may not be rendered since the last key.
    const draft = findDraft(path);
    if (!problems.isValid(draft?.text ?? text)) return;
    if (draft === undefined) say(t`Nothing was changed.`);
    else send(draft.text, over);
  };
  const discard = (): void => {
    if (!isDirty || isSaving) return;
    const run = findRestorer(path);
    save.reset();
    problems.guide.current?.rewrite(base.text);
    if (run !== undefined) say(t`Discarded.`, { label: t`Undo`, run });
  };
  const [isComparing, setIsComparing] = useState(false);
  const [shownAt, setShownAt] = useState<string>();
  // Changes by controllers only do not change the text.
  const isBehind = current.text !== base.text;
  const conflict = isDirty && (isConflict(save.error) || (isBehind && shownAt === current.revision));
  const changes = useChangeCount(base.text, text);
  return (
    <div className="stack">
      {conflict ? (
        <Conflict
          edit={edit}
          current={current}
          onSave={() => submit(current)}
          onMerged={(merged) => {
            edit.restart(current, merged);
            send(merged, current);
          }}
        />
      ) : isDirty && isGone ? (
        <Notice tone="attention">
          <p>{t`Somebody else deleted this object in the meantime. Your text is kept.`}</p>
          <button type="button" disabled={isSaving} onClick={() => submit()}>
            {t`Create it again from my text`}
          </button>
        </Notice>
      ) : isDirty && isBehind ? (
        <ChangedNote path={path} revision={current.revision} onShow={() => setShownAt(current.revision)} />
      ) : (
        <Warnings edit={edit} />
      )}
      <Problems
        problems={problems}
        error={conflict ? null : save.error}
        ofForm={way === 'form' ? model : undefined}
      />
      <div className={beside === undefined || beside === false ? 'stack' : 'record-columns'}>
        <ContentEditor
          way={way}
          model={model}
          isReadOnly={isReadOnly}
          value={text}
          problems={problems}
          yamlHref={getHref('yaml')}
          onChange={edit.type}
        />
        {beside}
      </div>
      {isComparing && (
        <Preview
          path={path}
          edit={edit}
          current={current}
          isValid={problems.syntax.length === 0 && !isGone}
        />
      )}
      {way === 'yaml' && !isReadOnly && (
        <p className="faint">{t`Status and fields set by the service are left out. Tab leaves the text; Ctrl+] indents; Ctrl+Space completes; Ctrl+F finds and replaces; Alt+G goes to a line; F8 goes to the next error.`}</p>
      )}
      {!isReadOnly && (
        <EditBar problems={problems} isDirty={isDirty} changes={changes}>
          <button
            type="button"
            aria-label={t`Discard changes`}
            aria-disabled={!isDirty || isSaving}
            onClick={discard}
          >
            {t`Discard`}
          </button>
          <button type="button" aria-pressed={isComparing} onClick={() => setIsComparing(!isComparing)}>
            {t`Compare`}
          </button>
          <SaveButton
            isSaving={isSaving}
            isUseful={isDirty}
            onSave={() => submit(isBehind ? base : current)}
          />
        </EditBar>
      )}
    </div>
  );
}

function Warnings({ edit: { isDirty, save } }: { readonly edit: YamlEdit }): ReactNode {
  const warnings = save.data ?? [];
  if (isDirty || warnings.length === 0) return null;
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

interface ChangedNoteProps {
  readonly path: string;
  /** The current revision of the object. */
  readonly revision: string;
  readonly onShow: () => void;
}

/** Says that somebody else changed the object that is being edited, and who. */
function ChangedNote({ path, revision, onShow }: ChangedNoteProps): ReactNode {
  const { data: user } = useQuery({
    queryKey: ['changed by', path, revision],
    queryFn: async ({ signal }) => {
      const [last] = arrayAt(await getJson(`${path}/history?limit=1`, signal), 'items');
      return textAt(last, 'user') ?? null;
    },
    // Users who may not read the history see the change without its user.
    retry: false,
  });
  return (
    <Notice tone="attention">
      {typeof user === 'string' && <strong>{t`Changed by ${user} just now.`}</strong>}{' '}
      {t`This object was changed while you were editing it. Saving will show both sides.`}{' '}
      <button type="button" className="quiet" onClick={onShow}>
        {t`Show`}
      </button>
    </Notice>
  );
}
