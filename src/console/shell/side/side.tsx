import type { ReactNode } from 'react';
import { getPath } from '../../api/models.js';
import { usePluginPages } from '../../api/platform/plugin-pages.js';
import { PLUGINS, usePlugins } from '../../api/platform/plugins.js';
import { formatRoute, type Route } from '../../routes/route.js';
import { t } from '../../texts.js';
import { useMayPages, type Page } from '../pages.js';
import { SideLink } from './side-link.js';
import { SideGroup, SideModels } from './side-models.js';

/** Links to all pages. */
export function Side({ route }: { readonly route: Route }): ReactNode {
  const pages = useMayPages();
  const failed = usePlugins().data?.items.filter(({ phase }) => phase === 'FAILED').length ?? 0;
  const current = getCurrent(route, pages);
  const getLink = ({ path, title, icon, needs }: Page): ReactNode => {
    const hasFailed = needs === PLUGINS && failed > 0;
    return (
      <SideLink
        key={path}
        href={formatRoute({ page: 'plain', path })}
        icon={icon}
        name={title()}
        current={path === current ? ('model' in route ? 'true' : 'page') : undefined}
        description={hasFailed ? t`${failed} failed` : undefined}
      >
        {hasFailed && (
          <span className="side-count side-failed" aria-hidden="true">
            {failed}
          </span>
        )}
      </SideLink>
    );
  };
  return (
    <div className="side">
      <nav aria-label={t`Overview`}>
        <ul>{pages.filter(({ path }) => path === '').map(getLink)}</ul>
      </nav>
      <SideModels route={route} pages={pages} />
      <PluginPages route={route} />
      <nav aria-label={t`Pages`} className="side-pages">
        <SideGroup name={t`Administration`}>{pages.filter(({ path }) => path !== '').map(getLink)}</SideGroup>
      </nav>
    </div>
  );
}

/** The path of the displayed page. A plugin belongs to that of all plugins, and an object of access to that of access. */
function getCurrent(route: Route, pages: readonly Page[]): string | undefined {
  if ('model' in route) {
    const shown = getPath(route.model);
    return pages.find(({ models }) => models?.some((one) => getPath(one) === shown))?.path;
  }
  if (route.page === 'plugin') return route.path.endsWith('.html') ? undefined : 'plugins';
  return route.page === 'plain' ? route.path : undefined;
}

function PluginPages({ route }: { readonly route: Route }): ReactNode {
  const pages = usePluginPages('sidebar');
  if (pages.length === 0) return null;
  return (
    <nav aria-label={t`Pages of plugins`}>
      <SideGroup name={t`Pages of plugins`}>
        {pages.map(({ plugin, path, title, icon = 'plug' }) => (
          <SideLink
            key={`${plugin} ${path}`}
            href={formatRoute({ page: 'plugin', name: plugin, path })}
            icon={icon}
            name={title}
            title={plugin}
            current={
              route.page === 'plugin' && route.name === plugin && route.path === path ? 'page' : undefined
            }
          />
        ))}
      </SideGroup>
    </nav>
  );
}
