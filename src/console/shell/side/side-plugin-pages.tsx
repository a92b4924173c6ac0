import type { ReactNode } from 'react';
import { usePluginPages } from '../../api/platform/plugin-pages.js';
import { Icon } from '../../parts/icon.js';
import { formatRoute, type Route } from '../../routes/route.js';
import { t } from '../../texts.js';
import { SideGroup } from './side-models.js';

/** Links to the pages of plugins. */
export function SidePluginPages({ route }: { readonly route: Route }): ReactNode {
  const pages = usePluginPages('sidebar');
  if (pages.length === 0) return null;
  return (
    <nav aria-label={t`Pages of plugins`}>
      <SideGroup name={t`Pages of plugins`}>
        {pages.map(({ plugin, path, title, icon }) => {
          const isCurrent = route.page === 'plugin' && route.name === plugin && route.path === path;
          return (
            <li key={`${plugin} ${path}`}>
              <a
                className="side-link"
                href={formatRoute({ page: 'plugin', name: plugin, path })}
                title={plugin}
                aria-current={isCurrent ? 'page' : undefined}
              >
                <Icon name={icon ?? 'plug'} />
                <span className="side-name">{title}</span>
              </a>
            </li>
          );
        })}
      </SideGroup>
    </nav>
  );
}
