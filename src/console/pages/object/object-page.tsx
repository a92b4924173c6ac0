import { useId, type ReactNode } from 'react';
import { isMissing, NotServed } from '../../api/errors.js';
import { useModel } from '../../api/models.js';
import { useIsUnsaved } from '../../editor/drafts.js';
import { Unsaved } from '../../parts/dialogs/unsaved.js';
import { Failure } from '../../parts/failure.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Notice, Pending } from '../../parts/notice.js';
import { getList, getObject, VIEW_LABELS, VIEWS, type View, type Way } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PluginTab, PluginTabLinks } from '../plugins/plugin-tabs.js';
import { DeletionNotice } from './deletion.js';
import { RecordHead } from './record-head.js';
import { RecordContext, useRecord, type RecordPlace } from './record.js';
import { Related } from './related.js';
import { StatusBeside, StatusView } from './state/status-view.js';
import { useObject } from './use-object.js';

const HistoryView = lazyPart(() => import('./history/history-view.js'));
const YamlView = lazyPart(() => import('./yaml/yaml-view.js'));
const Snippets = lazyPart(() => import('../../parts/models/snippets.js'));

export function ObjectPage(props: Pick<RecordPlace, 'modelRef' | 'name' | 'view' | 'tab'>): ReactNode {
  const { modelRef, name } = props;
  return (
    <RecordViews {...props} getHref={(view) => getObject(modelRef, name, view)} closed={getList(modelRef)} />
  );
}

/** One object: its form and text, its history, related objects, status and requests. */
export function RecordViews(place: RecordPlace): ReactNode {
  const { modelRef, name, tab } = place;
  const view = tab === undefined ? place.view : undefined;
  const model = useModel(modelRef);
  const { data: object, error, refetch } = useObject(modelRef, name);
  const isGone = isMissing(error);
  const isStopped = error instanceof NotServed;
  const live = isGone || isStopped ? undefined : object;
  return (
    <RecordContext value={{ ...place, model, live }}>
      <RecordHead />
      <Tabs />
      <div className="record-body">
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
        {!isGone && object !== undefined && <DeletionNotice object={object} />}
        {/* Form and text are one editor: a switch between them loses no input. */}
        <Failure key={tab ?? (view === 'form' ? 'yaml' : view)}>
          <PluginTab modelRef={modelRef} name={name} current={tab} />
          {view !== undefined && isEditor(view) && (
            <YamlView
              revision={object?.metadata.resourceVersion}
              isGone={isGone}
              way={view}
              beside={view === 'form' && live !== undefined && <StatusBeside object={live} />}
            />
          )}
          {view === 'history' && <HistoryView live={isGone ? undefined : object} />}
          {view === 'related' && object !== undefined && <Related object={object} />}
          {view === 'status' && object !== undefined && <StatusView object={object} />}
          {view === 'api' && <Snippets modelRef={modelRef} name={name} />}
        </Failure>
      </div>
    </RecordContext>
  );
}

function Tabs(): ReactNode {
  const { modelRef, name, view, tab, getHref } = useRecord();
  const unsavedId = useId();
  const isUnsaved = useIsUnsaved(modelRef, name);
  return (
    <nav className="tabs record-tabs" aria-label={t`Views of the object`}>
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
  );
}

function isEditor(view: View): view is Way {
  return view === 'form' || view === 'yaml';
}
