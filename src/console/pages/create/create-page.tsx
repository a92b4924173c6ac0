import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getApiVersion, getPath, useModel, useModels, type Model, type ModelRef } from '../../api/models.js';
import { useMay } from '../../api/platform/rights.js';
import { ContentEditor } from '../../editor/content-editor.js';
import { EditBar, SaveButton } from '../../editor/edit-bar.js';
import { findDraft, keepDraft, findRestorer, NOTHING, useDraft } from '../../editor/drafts.js';
import { getCauses, Problems, sayFailure } from '../../editor/problems.js';
import { useProblems } from '../../editor/use-problems.js';
import { Notice, Pending } from '../../parts/notice.js';
import { say } from '../../parts/dialogs/toasts.js';
import {
  formatCreateRoute,
  VIEW_LABELS,
  getList,
  getObject,
  parseRoute,
  type Way,
} from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { humanize } from '../../lib/naming.js';
import { useLast } from '../../lib/use-last.js';
import { useCreate } from '../../form/use-create.js';
import { exampleOf } from './example.js';
import { newObject } from '../../form/new-object.js';

const WAYS: readonly Way[] = ['form', 'yaml'];

interface CreatePageProps {
  readonly modelRef: ModelRef;
  readonly way: Way;
}

/** An editor for a new object. */
export default function CreatePage({ modelRef, way }: CreatePageProps): ReactNode {
  const model = useLast(useModel(modelRef));
  const { error } = useModels();
  return (
    <>
      <div className="row below">
        <div>
          <h1>{t`Create ${model?.kind ?? modelRef.plural}`}</h1>
          <p className="faint">
            <a href={getList(modelRef)}>{humanize(modelRef.plural)}</a>
          </p>
        </div>
      </div>
      <nav className="tabs" aria-label={t`Input mode`}>
        {WAYS.map((one) => (
          <a
            key={one}
            href={formatCreateRoute(modelRef, one)}
            aria-current={one === way ? 'page' : undefined}
          >
            {VIEW_LABELS[one]()}
          </a>
        ))}
      </nav>
      {model === undefined ? (
        <Pending error={error} />
      ) : (
        <NewObject modelRef={modelRef} model={model} way={way} />
      )}
    </>
  );
}

interface NewObjectProps {
  readonly modelRef: ModelRef;
  readonly model: Model;
  readonly way: Way;
}

function NewObject({ modelRef, model, way }: NewObjectProps): ReactNode {
  const client = useQueryClient();
  const mayCreate = useMay('create', modelRef);
  const key = getPath(modelRef);
  const [start] = useState(() =>
    newObject({ ...model, apiVersion: getApiVersion(model) }, exampleOf(model.schema), t`For example:`),
  );
  // The input remains while other pages are open.
  const draft = useDraft(key);
  const content = draft?.text ?? start;
  const setContent = (typed: string): void =>
    keepDraft(key, typed === start ? undefined : { base: NOTHING, text: typed });
  const { create, isSaving } = useCreate(modelRef, {
    onError: sayFailure,
    onSuccess: ({ metadata }) => {
      keepDraft(key, undefined);
      say(t`Created.`);
      void client.invalidateQueries();
      const shown = parseRoute(location.hash);
      if (shown.page === 'create' && getPath(shown.model) === key)
        navigate(getObject(modelRef, metadata.name));
    },
  });
  const { mutate, error } = create;
  const { syntax, marks, guide, lead, tour, isValid, setSent } = useProblems({
    content,
    error,
    isSaving,
    isForm: way === 'form',
  });
  const submit = (): void => {
    // The page may not be rendered since the last key.
    const newest = findDraft(key)?.text ?? start;
    if (!isValid(newest)) return;
    setSent(newest);
    mutate(newest);
  };
  const discard = (): void => {
    const restore = findRestorer(key);
    keepDraft(key, undefined);
    if (restore === undefined) return;
    const run = (): void => {
      restore();
      navigate(formatCreateRoute(modelRef, way));
    };
    say(t`Discarded.`, { label: t`Undo`, run });
  };
  return (
    <div className="stack">
      {!mayCreate && <Notice tone="attention">{t`You may not create objects of this model.`}</Notice>}
      <Problems syntax={syntax} error={error} onLead={lead} />
      <ContentEditor
        way={way}
        model={model}
        isNew
        isLocked={isSaving}
        value={content}
        marks={marks}
        causes={getCauses(error)}
        yamlHref={formatCreateRoute(modelRef, 'yaml')}
        onChange={setContent}
        ref={guide}
      />
      <EditBar tour={tour} isDirty={draft !== undefined}>
        <a className="button" href={getList(modelRef)} onClick={discard}>
          {t`Cancel`}
        </a>
        <SaveButton isSaving={isSaving} isAllowed={mayCreate} onSave={submit} />
      </EditBar>
    </div>
  );
}
