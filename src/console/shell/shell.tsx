import { useEffect, type ReactNode } from 'react';
import { useStore } from '../lib/store.js';
import { Failure } from '../parts/failure.js';
import { LanguageSelect } from '../parts/language-select.js';
import { lazyPart } from '../parts/lazy-part.js';
import { Toasts } from '../parts/dialogs/toasts.js';
import { formatRoute, getObject, type Route } from '../routes/route.js';
import { useRoute } from '../routes/use-route.js';
import { session, signOut } from '../session/session.js';
import { t } from '../texts.js';
import { PaletteButton } from './palette-button.js';
import { findPage, Pages } from './pages.js';
import { SideModels } from './side-models.js';
import { SidePluginPages } from './side-plugin-pages.js';
import { ListPage } from '../pages/list/list-page.js';
import { ObjectPage } from '../pages/object/object-page.js';

const PluginRoute = lazyPart(() => import('../pages/plugins/plugin-route.js'));
const CreatePage = lazyPart(() => import('../pages/create/create-page.js'));

/** The frame of every page. */
export function Shell(): ReactNode {
  const route = useRoute();
  useTitle(route);
  return (
    <>
      <a className="skip" href="#content" onClick={focusContent}>
        {t`Skip to the content`}
      </a>
      <header className="side">
        <a className="brand" href="#/">
          {'xsvc'}
        </a>
        <PaletteButton />
        <Pages current={route.page === 'plain' ? route.path : undefined} />
        <SidePluginPages />
        <SideModels route={route} />
        <Ends />
      </header>
      <main id="content" tabIndex={-1}>
        <Failure key={getKey(route)}>
          <Content route={route} />
        </Failure>
      </main>
      <Toasts />
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
  if (route.page === 'create') return formatRoute({ ...route, way: 'yaml' });
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
  const name = getName(route);
  useEffect(() => {
    document.title = `${name} – xsvc`;
  }, [name]);
}

function getName(route: Route): string {
  switch (route.page) {
    case 'list':
      return route.model.plural;
    case 'create':
      return t`Create ${route.model.plural}`;
    case 'object':
      return `${route.name} – ${route.model.plural}`;
    case 'plugin':
      return route.path === '' ? route.name : `${route.path} – ${route.name}`;
    case 'unknown':
      return t`Page not found.`;
    case 'plain':
      return findPage(route.path)?.title() ?? t`Page not found.`;
  }
}

/** Links to other pages of the service, and the sign-out. */
function Ends(): ReactNode {
  const { token } = useStore(session);
  return (
    <div className="ends">
      <a href="/swagger-ui.html">{t`API`}</a>
      {token !== undefined && (
        <button type="button" className="quiet" onClick={signOut}>
          {t`Sign out`}
        </button>
      )}
      <LanguageSelect />
    </div>
  );
}
