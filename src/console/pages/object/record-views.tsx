import { useId, type ReactNode } from 'react';
import { isMissing, NotServed } from '../../api/errors.js';
import { useModel, type ModelRef } from '../../api/models.js';
import { useIsUnsaved } from '../../editor/drafts.js';
import { Unsaved } from '../../parts/dialogs/unsaved.js';
import { Failure } from '../../parts/failure.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Notice, Pending } from '../../parts/notice.js';
import { VIEW_LABELS, VIEWS, type View, type Way } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PluginTab, PluginTabLinks } from '../plugins/plugin-tabs.js';
import { DeletionNotice } from './deletion-notice.js';
import { RecordHead } from './record-head.js';
import { useRecordFrame } from './record-frame.js';
import { Related } from './related.js';
import { StatusBeside, StatusView } from './state/status-view.js';
import { useObject } from './use-object.js';

const HistoryView = lazyPart(() => import('./history/history-view.js'));
const YamlView = lazyPart(() => import('./yaml/yaml-view.js'));
const ApiView = lazyPart(() => import('./api-view.js'));

interface RecordProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
  /** A tab of a plugin in place of the view: `<plugin>/<file>`. */
  readonly tab?: string | undefined;
}

/** One object: its form and text, its history, related objects, status and requests. */
export function RecordViews({ modelRef, name, view: given, tab }: RecordProps): ReactNode {
  const view = tab === undefined ? given : undefined;
  const model = useModel(modelRef);
  const { data: object, error, refetch } = useObject(modelRef, name);
  const isGone = isMissing(error);
  const isStopped = error instanceof NotServed;
  const live = isGone || isStopped ? undefined : object;
  return (
    <>
      <RecordHead modelRef={modelRef} model={model} name={name} view={given} object={live} />
      <Tabs modelRef={modelRef} name={name} view={given} tab={tab} />
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
        {!isGone && object !== undefined && <DeletionNotice modelRef={modelRef} object={object} />}
        {/* Form and text are one editor: a switch between them loses no input. */}
        <Failure key={tab ?? (view === 'form' ? 'yaml' : view)}>
          <PluginTab modelRef={modelRef} name={name} current={tab} />
          {view !== undefined && isEditor(view) && (
            <YamlView
              modelRef={modelRef}
              name={name}
              revision={object?.metadata.resourceVersion}
              isGone={isGone}
              way={view}
              beside={
                view === 'form' && live !== undefined && <StatusBeside modelRef={modelRef} object={live} />
              }
            />
          )}
          {view === 'history' && (
            <HistoryView modelRef={modelRef} name={name} live={isGone ? undefined : object} />
          )}
          {view === 'related' && object !== undefined && (
            <Related modelRef={modelRef} model={model} object={object} />
          )}
          {view === 'status' && object !== undefined && <StatusView modelRef={modelRef} object={object} />}
          {view === 'api' && <ApiView modelRef={modelRef} name={name} />}
        </Failure>
      </div>
    </>
  );
}

function Tabs({ modelRef, name, view, tab }: RecordProps): ReactNode {
  const { getHref } = useRecordFrame();
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
