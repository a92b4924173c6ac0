import {
  FIRST_TIME,
  fractionsOf,
  ownerCount,
  ownerOf,
  sectionOf,
  skewed,
  teamOf,
  TEAMS,
  tierOf,
  TIERS,
  TWO_YEARS,
} from './items.mjs';

const PAGE_SIZE = 10;
const MONTH = 30 * 86_400_000;

/**
 * The lists that are compared, each for both systems: `list` makes list options of the values drawn; `where` is
 * SQL over the fields of `pg-items.mjs`, with `params` made of the same values; `facets` are names of these fields,
 * whose values are counted.
 */
export function itemQueries(count) {
  const deepPage = Math.min(5_000, Math.floor(count / PAGE_SIZE / 2));
  const owners = ownerCount(count);
  return [
    {
      title: 'one owner (1,000 matches), newest first',
      draw: (below) => ownerOf(below(owners)),
      list: (owner) => ({ fieldSelector: `spec.owner=${owner}`, sort: 'spec.time,desc' }),
      where: '{owner} = $1',
      params: (owner) => [owner],
      order: ['time', 'DESC'],
    },
    {
      title: 'one label (a third), largest first',
      draw: (below) => tierOf(below(TIERS)),
      list: (tier) => ({ labelSelector: `tier=${tier}`, sort: 'spec.size,desc' }),
      where: '{tier} = $1',
      params: (tier) => [tier],
      order: ['size', 'DESC'],
    },
    {
      title: 'two labels and a boolean (1 in 300), by name',
      draw: (below) => ({ tier: tierOf(below(TIERS)), team: teamOf(below(TEAMS)), active: below(2) === 0 }),
      list: ({ tier, team, active }) => ({
        labelSelector: `tier=${tier},team=${team}`,
        fieldSelector: `spec.active=${active}`,
      }),
      where: '{tier} = $1 AND {team} = $2 AND {active} = $3',
      params: ({ tier, team, active }) => [tier, team, active],
    },
    {
      title: `page ${deepPage.toLocaleString('en')} by time`,
      draw: () => undefined,
      list: () => ({ sort: 'spec.time' }),
      page: deepPage,
      where: 'true',
      params: () => [],
      order: ['time', 'ASC'],
    },
    {
      title: 'any of five owners, by name',
      draw: (below) => fiveOf(owners, below).map(ownerOf),
      list: (some) => ({ fieldSelector: `spec.owner in (${some.join(',')})` }),
      where: '{owner} = ANY($1)',
      params: (some) => [some],
    },
    {
      title: 'not one section, by name',
      draw: (_below, fraction) => sectionOf(skewed(fraction())),
      list: (section) => ({ fieldSelector: `spec.section!=${section}` }),
      where: '{section} <> $1',
      params: (section) => [section],
    },
    {
      title: 'two halves (a quarter), by name',
      draw: (below) => ({ visibility: below(2) === 0 ? 'public' : 'private', active: below(2) === 0 }),
      list: ({ visibility, active }) => ({
        labelSelector: `visibility=${visibility}`,
        fieldSelector: `spec.active=${active}`,
      }),
      where: '{visibility} = $1 AND {active} = $2',
      params: ({ visibility, active }) => [visibility, active],
    },
    {
      title: 'a month of two years, largest first',
      draw: (below) => timesFrom(below(TWO_YEARS - MONTH)),
      list: ([from, to]) => ({ fieldSelector: `spec.time>=${from},spec.time<${to}`, sort: 'spec.size,desc' }),
      where: '{time} >= $1 AND {time} < $2',
      params: (times) => times,
      order: ['size', 'DESC'],
    },
    {
      title: 'one owner or one section, by name',
      draw: (below, fraction) => [ownerOf(below(owners)), sectionOf(skewed(fraction()))],
      list: ([owner, section]) => ({ filter: `spec.owner == "${owner}" || spec.section == "${section}"` }),
      where: '{owner} = $1 OR {section} = $2',
      params: (values) => values,
    },
    {
      title: 'no priority (1 in 20), newest first',
      draw: () => undefined,
      list: () => ({ fieldSelector: '!spec.priority', sort: 'spec.time,desc' }),
      where: '{priority} IS NULL',
      params: () => [],
      order: ['time', 'DESC'],
    },
    {
      title: 'two facets of a filter (a sixth), by name',
      draw: (below) => [tierOf(below(TIERS)), 500 + below(1_500)],
      list: ([tier, size]) => ({
        filter: `metadata.labels["tier"] == "${tier}" && spec.size > ${size}`,
        facets: 'spec.section,metadata.labels["team"]',
      }),
      where: '{tier} = $1 AND {size} > $2',
      params: (values) => values,
      facets: ['section', 'team'],
    },
  ].map((query, i) => ({
    ...query,
    id: 'abcdefghijk'[i],
    offset: ((query.page ?? 1) - 1) * PAGE_SIZE,
    size: PAGE_SIZE,
    options: (values) => ({ ...query.list(values), page: query.page ?? 1, size: PAGE_SIZE }),
  }));
}

/** The ends of a month that begins so long after the first time. */
function timesFrom(ms) {
  return [ms, ms + MONTH].map((at) => new Date(FIRST_TIME + at).toISOString());
}

/** Five different numbers below another; fewer where there are no five. */
function fiveOf(count, below) {
  const drawn = new Set();
  while (drawn.size < Math.min(5, count)) drawn.add(below(count));
  return [...drawn];
}

/** Draws values for a query, always the same ones in the same order. */
export function drawsOf(query, seed) {
  const numbers = fractionsOf(seed);
  const fraction = () => numbers.next().value;
  return () => query.draw((n) => Math.floor(fraction() * n), fraction);
}
