import { describe, expect, it } from 'vitest';
import {
  getCells,
  getProduct,
  getState,
  keyOf,
  MODEL_VERBS,
  PATH_VERBS,
  rowOf,
  type Cells,
} from '../../src/console/pages/access/matrix/cells.js';
import { getOpen, toggled, withEdits, type Edits } from '../../src/console/pages/access/matrix/edits.js';
import { writeRules } from '../../src/console/pages/access/matrix/write-rules.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const cells = (entries: Readonly<Record<string, readonly string[]>>): Cells =>
  new Map(Object.entries(entries).map(([key, verbs]) => [key, new Set(verbs)]));
const row = (group: string, resource: string, ...names: string[]): string =>
  keyOf({ group, resource, names });

/** Cells as lists that can be compared. Rows without a verb are left out. */
function listed(of: Cells): readonly string[] {
  return [...of].flatMap(([key, verbs]) => [...verbs].map((verb) => `${key} ${verb}`)).sort();
}

describe('the rules of a role as a matrix', () => {
  const read = { apiGroups: ['shop'], resources: ['orders', 'products'], verbs: ['get', 'list'] };
  const strange = { apiGroups: ['shop'], resources: ['orders'], verbs: ['approve'] };
  const mixed = { apiGroups: ['shop'], resources: ['orders'], nonResourceURLs: ['/a'], verbs: ['get'] };

  it('has a row for each resource of each group, and for paths', () => {
    const paths = { nonResourceURLs: ['/metrics'], verbs: ['get'] };
    expect(listed(getCells([read, paths]))).toEqual(
      listed(
        cells({
          [row('shop', 'orders')]: ['get', 'list'],
          [row('shop', 'products')]: ['get', 'list'],
          [keyOf({ path: '/metrics' })]: ['get'],
        }),
      ),
    );
  });

  it.each([strange, mixed, { verbs: ['get'] }, { ...read, verbs: [] }, { ...read, more: 1 }, 'text', null])(
    'does not show a rule that it could not write again: %j',
    (rule) => {
      expect(getProduct(rule)).toBeUndefined();
      expect(writeRules([rule], new Map())).toEqual([rule]);
    },
  );

  it('makes a new role with few rules', () => {
    const wanted = cells({
      [row('shop', 'orders')]: ['list', 'get'],
      [row('shop', 'products')]: ['get', 'list'],
      [row('shop', 'orders', 'o-1', 'o-2')]: ['delete'],
      [row('*', '*')]: ['watch'],
      [keyOf({ path: '/version' })]: ['get'],
      [keyOf({ path: '/v3/*' })]: ['get'],
    });
    expect(writeRules([], wanted)).toEqual([
      { apiGroups: ['shop'], resources: ['orders', 'products'], verbs: ['get', 'list'] },
      { apiGroups: ['shop'], resources: ['orders'], resourceNames: ['o-1', 'o-2'], verbs: ['delete'] },
      { apiGroups: ['*'], resources: ['*'], verbs: ['watch'] },
      { nonResourceURLs: ['/version', '/v3/*'], verbs: ['get'] },
    ]);
  });

  it('adds a verb or a resource to the rule that it belongs to, and leaves the others as they are', () => {
    const rules = [strange, read, mixed];
    const before = getCells(rules);
    const more = withEdits(
      before,
      new Map([
        [`watch ${row('shop', 'orders')}`, true],
        [`watch ${row('shop', 'products')}`, true],
      ]),
    );
    expect(writeRules(rules, more)).toEqual([strange, { ...read, verbs: ['get', 'list', 'watch'] }, mixed]);
    const customers = row('shop', 'customers');
    const wider = withEdits(
      before,
      new Map([
        [`get ${customers}`, true],
        [`list ${customers}`, true],
      ]),
    );
    expect(writeRules(rules, wider)).toEqual([
      strange,
      { ...read, resources: ['orders', 'products', 'customers'] },
      mixed,
    ]);
  });

  it('takes one right out of a rule of many', () => {
    const less = withEdits(getCells([read]), new Map([[`list ${row('shop', 'orders')}`, false]]));
    expect(writeRules([read], less)).toEqual([
      { apiGroups: ['shop'], resources: ['orders'], verbs: ['get'] },
      { apiGroups: ['shop'], resources: ['products'], verbs: ['get', 'list'] },
    ]);
    expect(writeRules([read], new Map())).toEqual([]);
  });

  it('shows rights that a broader row or column gives', () => {
    const state = (of: Cells, verb: string) =>
      getState(of, { group: 'shop', resource: 'orders', names: [] }, verb);
    expect(state(cells({ [row('*', '*')]: ['get'] }), 'get')).toBe('implied');
    expect(state(cells({ [row('shop', '*')]: ['*'] }), 'get')).toBe('implied');
    expect(state(cells({ [row('*', 'orders')]: ['get'] }), 'list')).toBe('none');
    expect(state(cells({ [row('shop', 'orders')]: ['*'] }), 'get')).toBe('implied');
    expect(state(cells({ [row('shop', 'orders', 'one')]: ['get'] }), 'get')).toBe('none');
    const of = cells({ [keyOf({ path: '/v3/*' })]: ['get'] });
    expect(getState(of, { path: '/v3/a' }, 'get')).toBe('implied');
    expect(getState(of, { path: '/v4' }, 'get')).toBe('none');
  });

  it('drops an edit that is clicked twice, or that somebody else has stored', () => {
    const key = row('shop', 'orders');
    const none: Edits = new Map();
    const once = toggled(new Map(), none, key, 'get');
    expect([...once]).toEqual([[`get ${key}`, true]]);
    expect(toggled(new Map(), once, key, 'get').size).toBe(0);
    expect(getOpen(cells({ [key]: ['get'] }), once).size).toBe(0);
  });
});

const GROUPS = ['', '*', 'shop', 'press'];
const RESOURCES = ['*', 'orders', 'orders/status', 'products'];

function randomRule(random: Random): unknown {
  const some = (from: readonly string[], least = 1): string[] =>
    random.shuffled(from).slice(0, least + random.below(from.length - least + 1));
  if (random.chance(0.1)) return { apiGroups: ['shop'], resources: ['orders'], verbs: ['approve', 'get'] };
  if (random.chance(0.2))
    return { nonResourceURLs: some(['/a', '/a/*', '*', '/b']), verbs: some(['*', ...PATH_VERBS]) };
  return {
    verbs: some(['*', ...MODEL_VERBS]),
    apiGroups: some(GROUPS),
    resources: some(RESOURCES),
    ...(random.chance(0.3) && { resourceNames: some(['one', 'two', 'a b', '"']) }),
  };
}

it('writes the wanted cells for any rules and clicks, and keeps all rules when nothing changes', () => {
  const random = new Random(seedOfRun());
  console.log(`SEED=${random.seed}`);
  for (let run = 0; run < 400; run++) {
    const rules = random.many(0, 5, () => randomRule(random));
    const stored = getCells(rules);
    expect(writeRules(rules, stored)).toEqual(rules);
    let edits: Edits = new Map();
    const keys = [
      ...stored.keys(),
      ...random.many(1, 4, () =>
        row(random.pick(GROUPS), random.pick(RESOURCES), ...random.many(0, 2, () => 'x')),
      ),
    ];
    for (const key of random.many(0, 6, () => random.pick(keys)))
      edits = toggled(stored, edits, key, random.pick('path' in rowOf(key) ? PATH_VERBS : MODEL_VERBS));
    const wanted = withEdits(stored, edits);
    const written = writeRules(rules, wanted);
    const clue = JSON.stringify({ run, rules, edits: [...edits] });
    expect(listed(getCells(written)), clue).toEqual(listed(wanted));
    const opaque = (all: readonly unknown[]) => all.filter((rule) => getProduct(rule) === undefined);
    expect(opaque(written), clue).toEqual(opaque(rules));
    expect(written.length, clue).toBeGreaterThanOrEqual(opaque(rules).length);
  }
});
