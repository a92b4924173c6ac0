/** Objects of the model `Item` in `plugin/`. Each is a function of its number alone, so none has to be kept. */

export const ITEMS_PLUGIN = new URL('plugin', import.meta.url).pathname;
export const ITEMS_PATH = '/apis/bench.example.com/v1alpha1/items';

const PRIORITIES = ['required', 'important', 'standard', 'optional', 'extra'];
const PER_OWNER = 1_000;
/** Coprime to any number of items that is no multiple of it. */
const PRIME = 611_953;
export const FIRST_TIME = Date.UTC(2024, 0, 1);
export const TWO_YEARS = 2 * 365 * 86_400_000;

export const SECTIONS = 60;
export const TIERS = 3;
export const TEAMS = 50;
export const ownerCount = (count) => Math.max(1, Math.floor(count / PER_OWNER));

export const ownerOf = (number) => `owner-${number}`;
export const sectionOf = (number) => `section-${number}`;
export const tierOf = (number) => `tier-${number}`;
export const teamOf = (number) => `team-${number}`;

/** Where a section, few of which have most items, stands; from a number in [0, 1). */
export const skewed = (fraction) => Math.floor(fraction ** 3 * SECTIONS);

/** The item of a number below `count`. */
export function itemAt(i, count) {
  const number = fractionsOf(i);
  const fraction = () => number.next().value;
  const below = (n) => Math.floor(fraction() * n);
  // A separate order, in which owners' items lie scattered among the others.
  const scattered = (i * PRIME) % count;
  return {
    apiVersion: 'bench.example.com/v1alpha1',
    kind: 'Item',
    metadata: {
      name: `item-${below(2 ** 32).toString(36)}-${i.toString(36)}`,
      labels: {
        tier: tierOf(scattered % TIERS),
        region: `region-${below(10)}`,
        team: teamOf(below(TEAMS)),
        visibility: fraction() < 0.5 ? 'public' : 'private',
      },
    },
    spec: {
      owner: ownerOf(scattered % ownerCount(count)),
      section: sectionOf(skewed(fraction())),
      size: Math.floor(Math.exp(fraction() * 14)),
      active: fraction() < 0.5,
      time: new Date(FIRST_TIME + below(TWO_YEARS)).toISOString(),
      priority: priorityAt(i, fraction() < 0.8 ? 3 : below(5)),
      title: `Item number ${i}`,
      description: 'an invented item '.repeat(2 + below(6)),
      links: Array.from({ length: below(5) }, () => `https://example.com/${below(1e9).toString(36)}`),
    },
  };
}

/** One item in twenty has none. */
function priorityAt(i, rank) {
  return i % 20 === 7 ? undefined : PRIORITIES[rank];
}

/** Items `from` (inclusive) to `to` (exclusive) of so many. */
export function itemsBetween(from, to, count) {
  return Array.from({ length: to - from }, (_, i) => itemAt(from + i, count));
}

/** Numbers in [0, 1), always the same ones for a seed. */
export function* fractionsOf(seed) {
  let a = Math.imul(seed + 1, 0x9e3779b1);
  for (;;) {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    yield ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}
