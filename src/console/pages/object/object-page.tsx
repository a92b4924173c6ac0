import { useId, useMemo, type ReactNode } from 'react';
import { isMissing, NotServed } from '../../api/errors.js';
import { getPath, useModel, type ModelRef } from '../../api/models.js';
import { useIsUnsaved } from '../../editor/drafts.js';
import { Unsaved } from '../../parts/dialogs/unsaved.js';
import { Failure } from '../../parts/failure.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Notice, Pending } from '../../parts/notice.js';
import { getList, getObject, VIEW_LABELS, VIEWS, type View, type Way } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PluginTab, PluginTabLinks } from '../plugins/plugin-tabs.js';
import { DeletionNotice } from './deletion-notice.js';
import { ObjectHead } from './object-head.js';
import { RecordFrameContext, useRecordFrame, type RecordFrame } from './record-frame.js';
import { Related } from './related.js';
import { Summary } from './summary.js';
import { useObject } from './use-object.js';

const HistoryView = lazyPart(() => import('./history/history-view.js'));
const YamlView = lazyPart(() => import('./yaml/yaml-view.js'));

interface RecordProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
  /** A tab of a plugin in place of the view: `<plugin>/<file>`. */
  readonly tab?: string | undefined;
}

/** The page of one object. */
export function ObjectPage({ modelRef, name, view, tab }: RecordProps): ReactNode {
  const { group, version, plural } = modelRef;
  const frame = useMemo((): RecordFrame => {
    const ref = { group, version, plural };
    return { isDrawer: false, getHref: (one) => getObject(ref, name, one), closed: getList(ref) };
  }, [group, version, plural, name]);
  return (
    <RecordFrameContext value={frame}>
      <RecordViews modelRef={modelRef} name={name} view={view} tab={tab} />
    </RecordFrameContext>
  );
}

/** One object: its content, its editor, its history, and its related objects. */
export function RecordViews({ modelRef, name, view, tab }: RecordProps): ReactNode {
  const { getHref } = useRecordFrame();
  const model = useModel(modelRef);
  const { data: object, error, refetch } = useObject(modelRef, name);
  const unsavedId = useId();
  const isUnsaved = useIsUnsaved(modelRef, name);
  const isGone = isMissing(error);
  const isStopped = error instanceof NotServed;
  return (
    <>
      <ObjectHead
        modelRef={modelRef}
        name={name}
        view={view}
        object={isGone || isStopped ? undefined : object}
      />
      <nav className="tabs" aria-label={t`Views of the object`}>
        {VIEWS.map((one) => (
          <a
            key={one}
            href={getHref(one)}
            aria-current={one === view && tab === undefined ? 'page' : undefined}
            aria-describedby={isUnsaved && isEditor(one) ? unsavedId + one : undefined}
          >
            {VIEW_LABELS[one]()}
            {isUnsaved && isEditor(one) && <Unsaved id={unsavedId + one} />}
          </a>
        ))}
        <PluginTabLinks modelRef={modelRef} name={name} current={tab} />
      </nav>
      {isGone && (
        <Notice tone="attention">
          {object === undefined ? t`Object not found.` : t`This object was deleted.`}
        </Notice>
      )}
      {isStopped && (
        <Notice tone="attention">{t`Its model is not available: its plugin may be stopped. The last known state is shown; your input is kept.`}</Notice>
      )}
      {!isGone && !isStopped && object === undefined && (
        <Pending error={error} onRetry={() => void refetch()} />
      )}
      {!isGone && object !== undefined && <DeletionNotice modelRef={modelRef} object={object} />}
      {/* Form and text are one editor: a switch between them loses no input. */}
      <Failure key={tab ?? (view === 'form' ? 'yaml' : view)}>
        <PluginTab modelRef={modelRef} name={name} current={tab} />
        {view === 'summary' && tab === undefined && object !== undefined && (
          <Summary key={getPath(modelRef)} modelRef={modelRef} model={model} object={object} />
        )}
        {isEditor(view) && (
          <YamlView
            modelRef={modelRef}
            name={name}
            revision={object?.metadata.resourceVersion}
            isGone={isGone}
            way={view}
          />
        )}
        {view === 'history' && (
          <HistoryView modelRef={modelRef} name={name} live={isGone ? undefined : object} />
        )}
        {view === 'related' && object !== undefined && (
          <Related modelRef={modelRef} model={model} object={object} />
        )}
      </Failure>
    </>
  );
}

function isEditor(view: View): view is Way {
  return view === 'form' || view === 'yaml';
}
