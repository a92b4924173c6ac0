import type { ListExplanation } from '../../service/verbs.js';
import type { CliIo } from '../io.js';

const SOURCES: Readonly<Record<ListExplanation['filters'][number]['from'], string>> = {
  memory: 'from memory',
  index: 'read from the index',
  records: 'checked with index records',
};

type Line = readonly [title: string, text: string];

export function printExplanation(io: CliIo, explained: ListExplanation): void {
  const lines = getLines(explained);
  const width = Math.max(...lines.map(([title]) => title.length));
  for (const [title, text] of lines) {
    io.stdout.line(`${title.padEnd(width)}   ${text}`);
  }
}

function getLines(explained: ListExplanation): Line[] {
  const {
    resource,
    total,
    condition,
    method,
    description,
    search,
    filters,
    aggregates = [],
    alternatives,
  } = explained;
  return [
    ['LIST', resource],
    ['MATCHES', `${total}: ${condition}`],
    ...(search === undefined ? [] : [['SEARCH', searchText(search)] as const]),
    ...filters.map((filter): Line => ['FILTER', filterText(filter)]),
    ...aggregates.map(({ field, from }): Line => ['VALUES', `${field}: ${SOURCES[from]}`]),
    ['HOW', `${method}: ${description}`],
    ['ORDER', orderText(explained)],
    ['READS', readsText(explained)],
    ...alternatives.map((other): Line => ['NOT', alternativeText(other)]),
  ];
}

function filterText({ condition, from, matches }: ListExplanation['filters'][number]): string {
  return `${condition}: ${matches}, ${SOURCES[from]}`;
}

function searchText({
  words,
  matches,
  from,
  segments,
  freshRows,
  entriesRead,
}: NonNullable<ListExplanation['search']>): string {
  const source = `read from the index: ${entriesRead} of ${segments} segments and ${freshRows} fresh rows`;
  return `${words.join(' ')}: ${matches}, ${from === 'memory' ? SOURCES.memory : source}`;
}

function orderText({ method, index, direction, bounds }: ListExplanation): string {
  const sorted = method === 'relevance' ? 'by relevance' : 'by sorting';
  const order = index === null ? sorted : `${index} ${direction ?? 'asc'}`;
  return `${order}, ${bounds}`;
}

function readsText({ entriesRead, recordsRead, objectsRead }: ListExplanation): string {
  return `index entries: ${entriesRead}, index records: ${recordsRead}, objects: ${objectsRead}`;
}

function alternativeText({ method, cost, reason }: ListExplanation['alternatives'][number]): string {
  return cost === null ? `${method}: ${reason}` : `${method} (${cost}): ${reason}`;
}
