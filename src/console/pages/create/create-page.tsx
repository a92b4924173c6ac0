import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getApiVersion, getPath, useModel, useModels, type Model, type ModelRef } from '../../api/models.js';
import { useMay } from '../../api/platform/rights.js';
import { ContentEditor } from '../../editor/content-editor.js';
import { findDraft, findRestorer, keepDraft, NOTHING, useDraft } from '../../editor/drafts.js';
import { EditBar, SaveButton } from '../../editor/edit-bar.js';
import { Problems } from '../../editor/problems.js';
import { exampleOf, newObject } from '../../form/new-object.js';
import { useCreate } from '../../form/use-create.js';
import { getKindTitle, getTitleOf } from '../../lib/naming.js';
import { useLast } from '../../lib/use-last.js';
import { say } from '../../parts/dialogs/toasts.js';
import { Notice, Pending } from '../../parts/notice.js';
import {
  formatCreateRoute,
  getList,
  getObject,
  parseRoute,
  VIEW_LABELS,
  type Way,
} from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';

const WAYS: readonly Way[] = ['form', 'yaml'];

interface CreatePageProps {
  readonly modelRef: ModelRef;
  readonly way: Way;
}

export default function CreatePage({ modelRef, way }: CreatePageProps): ReactNode {
  const model = useLast(useModel(modelRef));
  const { error } = useModels();
  return (
    <>
      <div className="below">
        <h1>{t`Create ${getKindTitle(modelRef, model)}`}</h1>
        <p className="faint">
          <a href={getList(modelRef)}>{getTitleOf(modelRef, model)}</a>
        </p>
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
      {model === undefined ? <Pending error={error} /> : <NewObject model={model} way={way} />}
    </>
  );
}

function NewObject({ model, way }: { readonly model: Model; readonly way: Way }): ReactNode {
  const client = useQueryClient();
  const mayCreate = useMay('create', model);
  const key = getPath(model);
  const [start] = useState(() =>
    newObject({ ...model, apiVersion: getApiVersion(model) }, exampleOf(model.schema)),
  );
  // The input remains while other pages are open.
  const draft = useDraft(key);
  const content = draft?.text ?? start;
  const { problems, error, isSaving, create } = useCreate(model, {
    content,
    isForm: way === 'form',
    onCreated: (name) => {
      keepDraft(key, undefined);
      void client.invalidateQueries();
      const shown = parseRoute(location.hash);
      if (shown.page === 'create' && getPath(shown.model) === key) navigate(getObject(model, name));
    },
  });
  const discard = (): void => {
    const restore = findRestorer(key);
    keepDraft(key, undefined);
    if (restore === undefined) return;
    const run = (): void => {
      restore();
      navigate(formatCreateRoute(model, way));
    };
    say(t`Discarded.`, { label: t`Undo`, run });
  };
  return (
    <div className="stack">
      {!mayCreate && <Notice tone="attention">{t`You may not create objects of this model.`}</Notice>}
      <Problems problems={problems} error={error} ofForm={way === 'form' ? model : undefined} />
      <ContentEditor
        way={way}
        model={model}
        isNew
        isLocked={isSaving}
        value={content}
        problems={problems}
        yamlHref={formatCreateRoute(model, 'yaml')}
        onChange={(text) => keepDraft(key, text === start ? undefined : { base: NOTHING, text })}
      />
      <EditBar problems={problems} isDirty={draft !== undefined}>
        <a className="button" href={getList(model)} onClick={discard}>
          {t`Cancel`}
        </a>
        <SaveButton
          isSaving={isSaving}
          isAllowed={mayCreate}
          // The page may not be rendered since the last key.
          onSave={() => create(findDraft(key)?.text ?? start)}
        />
      </EditBar>
    </div>
  );
}
