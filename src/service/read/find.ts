import { bind } from '../../query/bind.js';
import { canonical, type BoundCondition } from '../../query/bound-condition.js';
import { decodeCursor, listDigest } from '../../query/cursor.js';
import { getField } from '../../query/fields.js';
import { pageOf, type ListOptions, type ListRequest, type Page } from '../../query/list-options.js';
import { readListOptions } from '../../query/list-request.js';
import { versionKey, type Resource } from '../../model/resource.js';
import type { Work } from '../../lib/work/work.js';
import { list, type ListAnswer } from '../../list/execute.js';
import type { ListOrder, PlannedQuery } from '../../list/plan.js';
import { ReadStats } from '../../list/scope.js';
import type { Freshness } from '../../store/engine.js';
import type { ReadView } from '../../store/read-view.js';
import type { ServiceContext } from '../context.js';
import { bindPaths, type Branch } from '../expand/branches.js';
import type { ObjectScope, RelatedScopes } from '../scope/object-scope.js';
import { bindWithin } from '../scope/bind-within.js';
import { refuseHiddenFields } from '../scope/hidden-fields.js';
import { withCosts } from './explanation.js';
import { RefTargets } from './ref-targets.js';
import { targetModel } from './target-model.js';
import type { ModelView } from './view.js';

/** Options for reading a list. */
export interface Reading {
  /** Only a list as it was at this revision. Default: the present one. */
  readonly at?: number | undefined;
  /** Default: the latest. */
  readonly freshness?: Freshness | undefined;
  /** True: the page is returned with what is needed to compare it with later changes. */
  readonly keep?: boolean;
  /** The part of the model that the sender may see. Default: the whole. */
  readonly scope?: ObjectScope | undefined;
  /** The parts of models that references lead to. Default: the wholes. */
  readonly related?: RelatedScopes | undefined;
  /** Can stop the list early, and counts its reads. Default: no limits. */
  readonly work?: Work | undefined;
}

/** The matches of a list request. */
export interface FoundObjects {
  /** Must be closed. */
  readonly view: ReadView;
  /** As of the view. */
  readonly model: ModelView;
  /** The part of the model that the sender may see; undefined for the whole. */
  readonly scope: ObjectScope | undefined;
  readonly query: PlannedQuery;
  readonly answer: ListAnswer;
  readonly page: Page;
  /** Undefined when the list has numbered pages. */
  readonly cut: Cut | undefined;
  /** The conditions on targets of references. */
  readonly targets: RefTargets;
  /** The fields to count, the most values of each, and the aggregates. */
  readonly counts: Pick<ListRequest, 'facets' | 'facetLimit' | 'grouping'>;
  /** The references to follow; undefined when none are requested. */
  readonly branches: readonly Branch[] | undefined;
}

/** A list that ends at a limit. */
export interface Cut {
  readonly limit: number;
  /** Identifies the list and its order; a token is valid only for the same digest. */
  readonly digest: string;
  /** Objects listed before. */
  readonly seen: number;
}

/** Parses a request, binds it to the model, plans it and finds its matches. */
export async function find(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  { freshness, work, scope, related }: Reading = {},
): Promise<FoundObjects> {
  work?.check();
  const { view, tables } = await context.store.readCurrent(freshness);
  const stats = new ReadStats(work);
  try {
    const model = asked.current(tables).ready();
    const { table, resource } = model;
    const { target } = targetModel(model, tables);
    const request = readListOptions(options, resource, context.now().getTime(), target);
    if (scope !== undefined) refuseHiddenFields(request, resource, scope);
    const branches = request.expand && bindPaths(request.expand, table, tables);
    const targets = new RefTargets();
    await targets.find(request.condition, model, {
      view,
      tables,
      stats,
      caches: context.listCaches,
      related,
    });
    const condition = bind(request.condition, resource, targets.bind);
    const scoped = scope === undefined ? condition : bindWithin(condition, scope, table);
    const { limit, continue: token } = request;
    const digest = limit === undefined ? '' : digestRequest(resource, request, { condition, targets });
    const after = token === undefined ? undefined : decodeCursor(token, digest, context.store.secret);
    const order = getOrder(resource, request);
    const query = { condition: scoped, order, search: getSearch(request), after, ...getSlice(request) };
    const answer = await list({ view, table, stats }, query, context.listCaches);
    const cut = limit === undefined ? undefined : { limit, digest, seen: after?.seen ?? 0 };
    const page = pageOf(request.page, request.size, answer.total);
    return { view, model, scope, query, answer, page, cut, counts: request, targets, branches };
  } catch (error) {
    view.close();
    throw withCosts(error, stats, asked.resource);
  }
}

/**
 * The identity that a token is valid for.
 * @param bound the whole condition, which is that of the identity unless there are filters or targets
 */
function digestRequest(
  resource: Resource,
  { identity, sort, search }: ListRequest,
  bound: { readonly condition: BoundCondition; readonly targets: RefTargets },
): string {
  const { condition, targets } = bound;
  const isWhole = identity.filters.length === 0 && targets.isEmpty;
  const selected = isWhole ? condition : bind(identity.condition, resource, targets.bindIdentity);
  const searched = search === undefined ? [] : [JSON.stringify(search)];
  const texts = [...identity.filters, JSON.stringify(sort), ...searched];
  return listDigest(versionKey(resource), canonical(selected), ...texts);
}

function getSearch({ search, sort }: ListRequest): PlannedQuery['search'] {
  return search && { text: search, isRanked: sort.length === 0 };
}

function getOrder(resource: Resource, { sort }: ListRequest): ListOrder[] {
  return sort.map(({ field, direction }) => ({ index: getField(resource, field).index, direction }));
}

function getSlice({ page, size, limit }: ListRequest): Pick<PlannedQuery, 'offset' | 'limit'> {
  // One more than requested, to detect further matches.
  if (limit !== undefined) return { offset: 0, limit: limit + 1 };
  if (size > 0) return { offset: (page - 1) * size, limit: size };
  return { offset: 0, limit: page === 1 ? Infinity : 0 };
}
