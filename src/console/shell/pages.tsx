import type { ComponentType } from 'react';
import { ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../api/platform/access.js';
import { CONTROLLERS } from '../api/platform/controllers.js';
import { PLUGINS } from '../api/platform/plugins.js';
import { useMayDo, useMayReadPath } from '../api/platform/rights.js';
import { WEBHOOKS } from '../api/platform/webhooks.js';
import type { ModelRef } from '../api/models.js';
import type { IconName } from '../parts/icon.js';
import { lazyPart } from '../parts/lazy-part.js';
import { t } from '../texts.js';

/** A page without a model. */
export interface Page {
  /** In the URL: `#/plugins`. */
  readonly path: string;
  /** In the navigation, the search and the title of the tab. */
  readonly title: () => string;
  readonly icon: IconName;
  /** Only users who may list this model, or read this path of the service, see a link to the page. */
  readonly needs?: ModelRef | string;
  /** Models that it leads to, so that the navigation need not list them. */
  readonly models?: readonly ModelRef[];
  /** False: other pages lead to it, the navigation does not. */
  readonly isLinked?: false;
  readonly Content: ComponentType;
}

const Overview = lazyPart(() => import('../pages/overview/overview-page.js'));
const Models = lazyPart(() => import('../pages/models/models-page.js'));
const Builder = lazyPart(() => import('../pages/builder/builder-page.js'));
const Plugins = lazyPart(() => import('../pages/plugins/plugins-page.js'));
const Controllers = lazyPart(() => import('../pages/controllers/controllers-page.js'));
const Webhooks = lazyPart(() => import('../pages/webhooks/webhooks-page.js'));
const Access = lazyPart(() => import('../pages/access/access-page.js'));
const Log = lazyPart(() => import('../pages/log/log-page.js'));
const Metrics = lazyPart(() => import('../pages/metrics/metrics-page.js'));

const OF_ACCESS = [USERS, ROLES, ROLE_BINDINGS, TOKENS];

/** In the order of the navigation. */
const PAGES: readonly Page[] = [
  { path: '', title: () => t`Overview`, icon: 'home', Content: Overview },
  { path: 'models', title: () => t`Models`, icon: 'list', Content: Models },
  { path: 'builder', title: () => t`Model builder`, icon: 'box', isLinked: false, Content: Builder },
  {
    path: 'plugins',
    title: () => t`Plugins`,
    icon: 'plug',
    needs: PLUGINS,
    models: [PLUGINS],
    Content: Plugins,
  },
  {
    path: 'controllers',
    title: () => t`Controllers`,
    icon: 'settings',
    needs: CONTROLLERS,
    Content: Controllers,
  },
  {
    path: 'webhooks',
    title: () => t`Webhooks`,
    icon: 'webhook',
    needs: WEBHOOKS,
    models: [WEBHOOKS],
    Content: Webhooks,
  },
  { path: 'access', title: () => t`Access`, icon: 'key', needs: USERS, models: OF_ACCESS, Content: Access },
  { path: 'metrics', title: () => t`Metrics`, icon: 'chart', needs: '/metrics', Content: Metrics },
  { path: 'log', title: () => t`Log`, icon: 'lines', needs: '/metrics/log', Content: Log },
];

/** Undefined for a path that no page has. */
export function findPage(path: string): Page | undefined {
  return PAGES.find((page) => page.path === path);
}

/** The pages that the current user may open. */
export function useMayPages(): readonly Page[] {
  const mayDo = useMayDo();
  const mayRead = useMayReadPath();
  return PAGES.filter(({ needs, isLinked = true }) => {
    if (!isLinked) return false;
    if (needs === undefined) return true;
    return typeof needs === 'string' ? mayRead(needs) : mayDo('list', needs);
  });
}
