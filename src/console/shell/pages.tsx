import type { ComponentType, ReactNode } from 'react';
import { USERS } from '../api/platform/access.js';
import { CONTROLLERS } from '../api/platform/controllers.js';
import { PLUGINS } from '../api/platform/plugins.js';
import { useMayDo, useMayReadPath } from '../api/platform/rights.js';
import { WEBHOOKS } from '../api/platform/webhooks.js';
import type { ModelRef } from '../api/models.js';
import { ControllersPage } from '../pages/controllers/controllers-page.js';
import { OverviewPage } from '../pages/overview/overview-page.js';
import { PluginsPage } from '../pages/plugins/plugins-page.js';
import { lazyPart } from '../parts/lazy-part.js';
import { formatRoute } from '../routes/route.js';
import { t } from '../texts.js';

/** A page without a model. */
interface Page {
  /** In the URL: `#/plugins`. */
  readonly path: string;
  /** In the navigation, the search and the title of the tab. */
  readonly title: () => string;
  /** Only users who may list this model, or read this path of the service, see a link to the page. */
  readonly needs?: ModelRef | string;
  readonly Content: ComponentType;
}

/** In the order of the navigation. */
const PAGES: readonly Page[] = [
  { path: '', title: () => t`Overview`, Content: OverviewPage },
  {
    path: 'models',
    title: () => t`Models`,
    Content: lazyPart(() => import('../pages/models/models-page.js')),
  },
  { path: 'plugins', title: () => t`Plugins`, needs: PLUGINS, Content: PluginsPage },
  { path: 'controllers', title: () => t`Controllers`, needs: CONTROLLERS, Content: ControllersPage },
  {
    path: 'webhooks',
    title: () => t`Webhooks`,
    needs: WEBHOOKS,
    Content: lazyPart(() => import('../pages/webhooks/webhooks-page.js')),
  },
  {
    path: 'access',
    title: () => t`Access`,
    needs: USERS,
    Content: lazyPart(() => import('../pages/access/access-page.js')),
  },
  {
    path: 'metrics',
    title: () => t`Metrics`,
    needs: '/metrics',
    Content: lazyPart(() => import('../pages/metrics/metrics-page.js')),
  },
];

/** Undefined for a path that no page has. */
export function findPage(path: string): Page | undefined {
  return PAGES.find((page) => page.path === path);
}

/** The pages that the current user may open. */
export function useMayPages(): readonly Page[] {
  const mayDo = useMayDo();
  const mayRead = useMayReadPath();
  return PAGES.filter(({ needs }) => {
    if (needs === undefined) return true;
    return typeof needs === 'string' ? mayRead(needs) : mayDo('list', needs);
  });
}

/** @param current the path of the displayed page */
export function Pages({ current }: { readonly current: string | undefined }): ReactNode {
  return (
    <nav aria-label={t`Pages`}>
      {useMayPages().map(({ path, title }) => (
        <a
          key={path}
          href={formatRoute({ page: 'plain', path })}
          aria-current={path === current ? 'page' : undefined}
        >
          {title()}
        </a>
      ))}
    </nav>
  );
}
