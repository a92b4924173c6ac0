import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { formatMessage } from '../../api/errors.js';
import { DEFINITIONS, readDefinitionObject } from '../../api/platform/definitions.js';
import { useMay } from '../../api/platform/rights.js';
import { Notice } from '../../parts/notice.js';
import { EditBar, SaveButton } from '../../editor/edit-bar.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { say } from '../../parts/dialogs/toasts.js';
import { Notes } from '../../parts/field.js';
import { Section } from '../../parts/section.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { BuilderContext } from './builder-context.js';
import { ChangeDialog } from './change-dialog.js';
import type { DraftProblem } from './draft/causes.js';
import { checkDraft } from './draft/checks.js';
import { withOneTitle } from './draft/change-fields.js';
import { findModelDraft, keepModelDraft, useModelDraft } from './draft/draft-store.js';
import type { ModelDraft } from './draft/model-draft.js';
import { namesOf } from './draft/names.js';
import { FieldList } from './fields/field-list.js';
import { ModelCard } from './model-card.js';
import { ExportDialog } from './plugin/export-dialog.js';
import { Preview } from './preview.js';
import { useSave } from './use-save.js';

/** The levels of groups in groups. */
const DEPTH_MAX = 3;

interface BuilderProps {
  readonly draftKey: string;
  /** The name of the definition; undefined for a new one. */
  readonly name: string | undefined;
  readonly start: ModelDraft;
  /** The group of other models; undefined without any. */
  readonly group: string | undefined;
  /** Between the fields and the bar. */
  readonly children?: ReactNode;
}

/** A model as fields: its name, its fields, and a preview beside them. */
export function Builder({ draftKey, name, start, group, children }: BuilderProps): ReactNode {
  const draft = useModelDraft(draftKey) ?? start;
  const isDirty = draft !== start;
  const [opened, setOpened] = useState<string>();
  const names = useMemo(() => namesOf(draft, group), [draft, group]);
  const page = useRef<HTMLDivElement>(null);
  // A new object at each attempt.
  const [attempt, setAttempt] = useState<object>();
  const lead = (found: readonly DraftProblem[]): void => {
    const [first] = found;
    if (first?.fieldId !== undefined) setOpened(first.fieldId);
    if (first !== undefined) setAttempt({});
  };
  const { problems, error, isSaving, isConflict, save, forget } = useSave(draftKey, lead);
  useEffect(() => {
    if (attempt === undefined) return;
    const faulty = page.current?.querySelector<HTMLElement>('[aria-invalid="true"], p.problem');
    faulty?.scrollIntoView({ block: 'center' });
    faulty?.focus({ preventScroll: true });
  }, [attempt]);
  const set = (changed: ModelDraft): void => {
    const before = findModelDraft(draftKey) ?? start;
    keepModelDraft(draftKey, { ...changed, fields: withOneTitle(before.fields, changed.fields) });
    forget();
  };
  const mayWrite = useMay(name === undefined ? 'create' : 'update', DEFINITIONS, name);
  const yamlHref = name === undefined ? undefined : getObject(DEFINITIONS, name, 'yaml');
  const state = useMemo(
    () => ({ problems, yamlHref, opened, open: setOpened }),
    [problems, yamlHref, opened],
  );
  const discard = (): void => {
    const before = findModelDraft(draftKey);
    keepModelDraft(draftKey, undefined);
    forget();
    say(t`Discarded.`, { label: t`Undo`, run: () => keepModelDraft(draftKey, before) });
  };
  const loadNewest = async (): Promise<void> => {
    if (name === undefined) return;
    try {
      set({ ...draft, stored: await readDefinitionObject(name) });
      say(t`Your changes are now on top of the newest version. Save again.`);
    } catch (failure) {
      say(formatMessage(failure));
    }
  };
  const [isAsking, setIsAsking] = useState(false);
  const submit = (): void => {
    const isFaulty = checkDraft(draft, names).length > 0;
    if (draft.stored === undefined || isFaulty || !isDirty) save(draft, names);
    else setIsAsking(true);
  };
  const ofModel = (wanted: string): readonly string[] =>
    problems
      .filter(({ fieldId, part }) => fieldId === undefined && part === wanted)
      .map((one) => one.message);
  const general = ofModel('');
  const isRefused = error !== null && !isConflict && problems.length === 0;
  return (
    <BuilderContext value={state}>
      <div ref={page} className="builder">
        <div className="stack">
          {!mayWrite && <Notice tone="attention">{t`You may not change models.`}</Notice>}
          {isConflict && (
            <Notice tone="attention" title={t`Somebody else changed this model meanwhile.`}>
              <button type="button" onClick={() => void loadNewest()}>{t`Keep my changes`}</button>
            </Notice>
          )}
          {(general.length > 0 || isRefused) && (
            <Notice tone="bad" title={t`The model is not saved.`}>
              <Notes messages={general.length > 0 ? general : [formatMessage(error)]} />
            </Notice>
          )}
          <ModelCard draft={draft} names={names} onChange={set} />
          <Section title={t`Fields`}>
            <Notes messages={ofModel('fields')} />
            <FieldList
              fields={draft.fields}
              own={names}
              depth={DEPTH_MAX}
              hasLists
              onChange={(fields) => set({ ...draft, fields })}
            />
          </Section>
        </div>
        <div className="builder-side">
          <Preview draft={draft} names={names} />
        </div>
      </div>
      {children}
      <EditBar problems={{ count: problems.length, next: () => lead(problems) }} isDirty={isDirty}>
        {draft.fields.length > 0 && names.kind !== '' && (
          <DialogButton
            label={t`Export as a plugin`}
            isAllowed
            dialog={(onClose) => <ExportDialog draft={draft} names={names} onClose={onClose} />}
          />
        )}
        <button type="button" aria-disabled={!isDirty} onClick={isDirty ? discard : undefined}>
          {t`Discard changes`}
        </button>
        <SaveButton isSaving={isSaving} isAllowed={mayWrite} onSave={submit} />
      </EditBar>
      {isAsking && (
        <ChangeDialog
          draft={draft}
          names={names}
          onConfirm={() => {
            setIsAsking(false);
            save(draft, names);
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </BuilderContext>
  );
}
