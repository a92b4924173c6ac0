import type { ModelRef } from '../api/models.js';
import { decoded } from '../lib/links.js';
import { t } from '../texts.js';

export const VIEWS = ['form', 'yaml', 'history', 'related', 'status', 'api'] as const;
/** The views of an object. The first one has no segment in the URL. */
export type View = (typeof VIEWS)[number];
/** The view without a segment. */
export const MAIN_VIEW = 'form';
/** The labels of their tabs. */
export const VIEW_LABELS: Readonly<Record<View, () => string>> = {
  form: () => t`Form`,
  yaml: () => t`YAML`,
  history: () => t`History`,
  related: () => t`Related`,
  status: () => t`Status`,
  api: () => t`API`,
};

/** The forms of editing an object. */
export type Way = Extract<View, 'form' | 'yaml'>;

/** The state of the page: all of it is in the part of the URL after `#`, so that links can be shared. */
export type Route =
  | { readonly page: 'unknown' }
  /** A page without a model. */
  | { readonly page: 'plain'; readonly path: string }
  | { readonly page: 'list'; readonly model: ModelRef; readonly parameters: URLSearchParams }
  | { readonly page: 'create'; readonly model: ModelRef; readonly way: Way }
  | {
      readonly page: 'object';
      readonly model: ModelRef;
      readonly name: string;
      readonly view: View;
      /** A tab of a plugin in place of the view: `<plugin>/<file>`. */
      readonly tab?: string;
    }
  /** A plugin: a tab about it, which is empty for the first one, or the file of one of its pages. */
  | { readonly page: 'plugin'; readonly name: string; readonly path: string };

const UNKNOWN: Route = { page: 'unknown' };
/** The segment before the plugin of a tab. */
const TAB = 'page';

/** Parses the part after `#`, with or without it. */
export function parseRoute(hash: string): Route {
  const [path = '', ...search] = hash.replace(/^#?\/?/, '').split('?');
  const segments = decoded(path.replace(/\/$/, '').split('/'));
  if (segments === undefined) return UNKNOWN;
  const [page = '', group = '', version = '', plural = '', name, view = MAIN_VIEW, ...more] = segments;
  // The builder has the name of a model behind its path.
  if (segments.length === 1 || page === 'builder') return { page: 'plain', path: page };
  if (page === 'plugins') return { page: 'plugin', name: group, path: segments.slice(2).join('/') };
  const model = { group, version, plural };
  if (version === '' || plural === '') return UNKNOWN;
  if (page === 'models' && name !== undefined && view === TAB && more.length > 1)
    return { page: 'object', model, name, view: MAIN_VIEW, tab: more.join('/') };
  if (more.length > 0) return UNKNOWN;
  if (page === 'create') return parseWay(model, segments[4] ?? MAIN_VIEW);
  if (page !== 'models') return UNKNOWN;
  if (name === undefined) return { page: 'list', model, parameters: new URLSearchParams(search.join('?')) };
  const known = VIEWS.find((one) => one === view);
  return known === undefined ? UNKNOWN : { page: 'object', model, name, view: known };
}

function parseWay(model: ModelRef, way: string): Route {
  return way === 'form' || way === 'yaml' ? { page: 'create', model, way } : UNKNOWN;
}

/** Formats the part after `#`, including it. */
export function formatRoute(route: Route): string {
  switch (route.page) {
    case 'unknown':
      return '#/';
    case 'plain':
      return `#/${encodeURIComponent(route.path)}`;
    case 'create':
      return `#/create/${modelPath(route.model)}${route.way === MAIN_VIEW ? '' : `/${route.way}`}`;
    case 'list': {
      const search = route.parameters.toString();
      return `#/models/${modelPath(route.model)}${search === '' ? '' : `?${search}`}`;
    }
    case 'plugin':
      return `#/plugins/${encodePath(route.path === '' ? route.name : `${route.name}/${route.path}`)}`;
    case 'object': {
      const { model, name, view, tab } = route;
      const path = `#/models/${modelPath(model)}/${encodeURIComponent(name)}`;
      if (tab !== undefined) return `${path}/${TAB}/${encodePath(tab)}`;
      return view === MAIN_VIEW ? path : `${path}/${view}`;
    }
  }
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function modelPath({ group, version, plural }: ModelRef): string {
  return [group, version, plural].map(encodeURIComponent).join('/');
}

/** The URL of a model's list from its beginning. */
export function getList(model: ModelRef, parameters: Readonly<Record<string, string>> = {}): string {
  return formatRoute({ page: 'list', model, parameters: new URLSearchParams(parameters) });
}

export function getObject(model: ModelRef, name: string, view: View = MAIN_VIEW): string {
  return formatRoute({ page: 'object', model, name, view });
}

export function formatCreateRoute(model: ModelRef, way: Way = MAIN_VIEW): string {
  return formatRoute({ page: 'create', model, way });
}
