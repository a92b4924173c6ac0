import { useId, type ReactNode } from 'react';
import { PLUGINS, usePlugins } from '../../api/platform/plugins.js';
import { Icon } from '../../parts/icon.js';
import { formatRoute, type Route } from '../../routes/route.js';
import { t } from '../../texts.js';
import { useMayPages, type Page } from '../pages.js';
import { SideGroup, SideModels } from './side-models.js';
import { SidePluginPages } from './side-plugin-pages.js';

/** Links to all pages. */
export function Side({ route }: { readonly route: Route }): ReactNode {
  const pages = useMayPages();
  const current = getCurrent(route);
  const getLink = (page: Page): ReactNode => (
    <li key={page.path}>
      <SideLink page={page} isCurrent={page.path === current} />
    </li>
  );
  const [first, rest] = [pages.filter(({ path }) => path === ''), pages.filter(({ path }) => path !== '')];
  return (
    <div className="side">
      <nav aria-label={t`Overview`}>
        <ul>{first.map(getLink)}</ul>
      </nav>
      <SideModels route={route} />
      <SidePluginPages route={route} />
      <nav aria-label={t`Pages`} className="side-pages">
        <SideGroup name={t`Administration`}>{rest.map(getLink)}</SideGroup>
      </nav>
    </div>
  );
}

/** The path of the displayed page; the page about a plugin belongs to that of all plugins. */
function getCurrent(route: Route): string | undefined {
  if (route.page === 'plugin') return route.path.endsWith('.html') ? undefined : 'plugins';
  return route.page === 'plain' ? route.path : undefined;
}

interface SideLinkProps {
  readonly page: Page;
  readonly isCurrent: boolean;
}

function SideLink({ page: { path, title, icon, needs }, isCurrent }: SideLinkProps): ReactNode {
  const id = useId();
  const failed = usePlugins().data?.items.filter(({ phase }) => phase === 'FAILED').length ?? 0;
  const hasFailed = needs === PLUGINS && failed > 0;
  return (
    <a
      className="side-link"
      href={formatRoute({ page: 'plain', path })}
      aria-current={isCurrent ? 'page' : undefined}
      aria-describedby={hasFailed ? id : undefined}
    >
      <Icon name={icon} />
      <span className="side-name">{title()}</span>
      {hasFailed && (
        <span className="side-count side-failed" aria-hidden="true">
          {failed}
        </span>
      )}
      {hasFailed && (
        <span id={id} hidden>
          {t`${failed} failed`}
        </span>
      )}
    </a>
  );
}
