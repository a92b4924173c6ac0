import { useEffect, type ReactNode } from 'react';
import { getPath, useModels, type Model, type ModelRef } from '../api/models.js';
import { CreateObject } from '../form/create-object.js';
import { INSTANCE } from '../lib/instance.js';
import { getTitleOf } from '../lib/naming.js';
import { useEvent } from '../lib/use-event.js';
import { Failure } from '../parts/failure.js';
import { lazyPart } from '../parts/lazy-part.js';
import { Toasts } from '../parts/dialogs/toasts.js';
import { formatRoute, getObject, type Route } from '../routes/route.js';
import { useRoute } from '../routes/use-route.js';
import { t } from '../texts.js';
import { KeyHelpAtKey } from './key-help.js';
import { findPage } from './pages.js';
import { Side } from './side/side.js';
import { TopBar } from './top/top-bar.js';
import { useArrival } from './use-arrival.js';
import { ListPage } from '../pages/list/list-page.js';
import { ObjectPage } from '../pages/object/object-page.js';

const PluginRoute = lazyPart(() => import('../pages/plugins/plugin-route.js'));
const CreateDialog = lazyPart(() => import('../form/create-dialog.js'));
const CreatePage = lazyPart(() => import('../pages/create/create-page.js'));

/** The least width for the side beside the page, in CSS pixels at the usual size of text. */
const WIDE = matchMedia('(min-width: 64rem)');

/** The frame of every page. */
export function Shell(): ReactNode {
  const route = useRoute();
  const hasSide = useEvent(WIDE, 'change', () => WIDE.matches);
  useTitle(route);
  useArrival(getKey(route));
  return (
    <>
      <a className="shell-skip" href="#content" onClick={focusContent}>
        {t`Skip to the content`}
      </a>
      <TopBar route={route} hasSide={hasSide} />
      {hasSide && (
        <div className="shell-side">
          <Side route={route} />
        </div>
      )}
      <main id="content" className="shell-content" tabIndex={-1}>
        <CreateObject value={CreateDialog}>
          <Failure key={getKey(route)}>
            <Content route={route} />
          </Failure>
        </CreateObject>
      </main>
      <Toasts />
      <KeyHelpAtKey />
    </>
  );
}

/** The URL is the state of the page; a link within the page must not change it. */
function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** The key of a page: a list keeps it when its parameters change, and an object when its views do. */
function getKey(route: Route): string {
  if (route.page === 'list') return formatRoute({ ...route, parameters: new URLSearchParams() });
  if (route.page === 'plugin')
    return formatRoute(route.path.endsWith('.html') ? route : { ...route, path: '' });
  if (route.page === 'create') return formatRoute({ ...route, way: 'form' });
  if (route.page !== 'object') return formatRoute(route);
  return getObject(route.model, route.name);
}

function Content({ route }: { readonly route: Route }): ReactNode {
  switch (route.page) {
    case 'plain': {
      const page = findPage(route.path);
      return page === undefined ? <Unknown /> : <page.Content />;
    }
    case 'list':
      return <ListPage modelRef={route.model} parameters={route.parameters} />;
    case 'create':
      return <CreatePage modelRef={route.model} way={route.way} />;
    case 'object':
      return <ObjectPage modelRef={route.model} name={route.name} view={route.view} tab={route.tab} />;
    case 'plugin':
      return <PluginRoute name={route.name} path={route.path} />;
    case 'unknown':
      return <Unknown />;
  }
}

function Unknown(): ReactNode {
  return (
    <>
      <h1>{t`Page not found.`}</h1>
      <a href="#/">{t`Overview`}</a>
    </>
  );
}

/** Sets the title for tabs and the browser's history. */
function useTitle(route: Route): void {
  const models = useModels().data;
  const name = getName(route, models ?? []);
  useEffect(() => {
    document.title = `${name} – ${INSTANCE.name}`;
  }, [name]);
}

function getName(route: Route, models: readonly Model[]): string {
  const titleOf = (ref: ModelRef): string =>
    getTitleOf(
      ref,
      models.find((model) => getPath(model) === getPath(ref)),
    );
  switch (route.page) {
    case 'list':
      return titleOf(route.model);
    case 'create':
      return t`Create ${titleOf(route.model)}`;
    case 'object':
      return `${route.name} – ${titleOf(route.model)}`;
    case 'plugin':
      return route.path === '' ? route.name : `${route.path} – ${route.name}`;
    case 'unknown':
      return t`Page not found.`;
    case 'plain':
      return findPage(route.path)?.title() ?? t`Page not found.`;
  }
}
