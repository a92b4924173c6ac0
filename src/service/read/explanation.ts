import { formatExcerpt, hasCode, ServiceError } from '../../errors.js';
import type { ListAnswer } from '../../list/execute.js';
import type { PlannedQuery, ListMethod, Plan } from '../../list/plan.js';
import type { ReadCost, ReadStats, SearchRead } from '../../list/scope.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { describe } from '../../query/describe.js';
import { describeSearch } from '../../query/search/search-text.js';
import type { ListExplanation } from '../verbs.js';
import type { RefTargets } from './ref-targets.js';
import type { ModelView } from './view.js';

const WHAT: Readonly<Record<ListMethod, string>> = {
  walk: 'walk the index of the order and skip objects that do not match',
  ranks: 'pick matches from the order in memory',
  sort: 'read the index values of the matches and sort them',
  relevance: 'order the matches by the scores of the search, then by name',
};

/** A list that was planned and run. */
interface Answered {
  readonly model: ModelView;
  readonly query: PlannedQuery;
  readonly answer: ListAnswer;
  readonly targets: Pick<RefTargets, 'filters'>;
}

/**
 * Explains a list. Counts of reads are those at the time of the call.
 * @param objects number of objects in the list
 */
export function getExplanation(
  { model, query, answer: { plan, stats, total }, targets }: Answered,
  objects: number,
): ListExplanation {
  const { resource } = model;
  return {
    kind: 'ListExplanation',
    apiVersion: 'api.platform.run/v1alpha1',
    resource: `${resource.plural}.${getApiVersion(resource)}`,
    condition: describe(query.condition, resource),
    method: plan.method,
    description: WHAT[plan.method],
    index: indexOf(plan, model),
    direction: plan.order?.direction ?? null,
    bounds: query.after === undefined ? 'the whole order' : `after "${query.after.name}"`,
    sorts: plan.method === 'sort',
    filters: [
      ...targets.filters,
      ...stats.filters.map(({ condition, from, matches }) => ({
        condition: describe(condition, resource),
        from,
        matches,
      })),
    ],
    ...(stats.search && { search: explainSearch(stats.search, stats) }),
    ...(stats.columns.length > 0 && { aggregates: stats.columns }),
    total,
    entriesRead: stats.entries,
    recordsRead: stats.records,
    objectsRead: objects,
    alternatives: alternatives(plan),
  };
}

function explainSearch(
  { text, matches, isKept, segments, freshRows }: SearchRead,
  { costs }: ReadStats,
): NonNullable<ListExplanation['search']> {
  const own = costs.filter(({ reason }) => reason.for === 'search');
  const entriesRead = own.reduce((sum, { entries }) => sum + entries, 0);
  const from = isKept ? 'memory' : 'index';
  return { words: describeSearch(text), matches, from, segments, freshRows, entriesRead };
}

/** Most costs that an error names; the others are summed. */
const COSTS_MAX = 5;

/** Adds the largest costs to an error that reports too many reads. */
export function withCosts(error: unknown, stats: ReadStats, resource: Resource): unknown {
  if (!hasCode(error, 'RequestEntityTooLarge')) return error;
  const read = stats.costs.filter(({ entries }) => entries > 0).sort((a, b) => b.entries - a.entries);
  if (read.length === 0) return error;
  const named = read.slice(0, COSTS_MAX).map((cost) => `${cost.entries} for ${getReason(cost, resource)}`);
  const rest = read.slice(COSTS_MAX).reduce((sum, { entries }) => sum + entries, 0);
  if (rest > 0) named.push(`${rest} for the rest`);
  return new ServiceError(error.code, `${error.message}; read so far: ${named.join(', ')}`, error.details);
}

function getReason({ reason }: ReadCost, resource: Resource): string {
  switch (reason.for) {
    case 'aggregates':
      return `the aggregates with ${formatExcerpt(reason.field)}`;
    case 'facet':
      return `the facet ${formatExcerpt(reason.field)}`;
    case 'order':
      return 'the order';
    case 'search':
      return 'the search';
    case 'filter': {
      const [first, ...others] = reason.conditions;
      const text = first === undefined ? '' : formatExcerpt(describe(first, resource));
      return others.length === 0 ? text : `${text} and ${others.length} other conditions of that field`;
    }
  }
}

/** The index by its name in the version. */
function indexOf({ method, order }: Plan, { table, resource }: ModelView): string | null {
  if (method === 'sort' || order === undefined) return null;
  const position = table.indexes.findIndex(({ id }) => id === order.index?.id);
  return resource.indexes[position]?.name ?? 'metadata.name';
}

function alternatives({ method, costs, order }: Plan): ListExplanation['alternatives'] {
  const chosen = costs[method] ?? 0;
  return (['walk', 'ranks', 'sort'] as const)
    .filter((other) => other !== method)
    .map((other) => {
      const cost = costs[other];
      if (cost !== undefined) {
        return {
          method: other,
          cost: Math.round(cost),
          reason: `costs more than ${method} (${Math.round(chosen)})`,
        };
      }
      const reason =
        order === undefined
          ? 'no single index provides this order'
          : 'the order is not in memory, or using it costs more';
      return { method: other, cost: null, reason };
    });
}
