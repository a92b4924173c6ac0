import { expect } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ListOptions } from '../../src/query/list-options.js';
import type { Service } from '../../src/service/service.js';
import { PERSON } from '../helpers/models.js';
import type { Random } from '../helpers/seed.js';
import { comparable, compare, FIELDS, NAME, type Field } from './naive.js';

/** Counts values of random fields with a list and compares them with plain counting. */
export async function checkFacets(
  service: Service,
  options: ListOptions,
  matches: readonly ExtensionObject[],
  random: Random,
  where: string,
): Promise<void> {
  const fields = [...new Set([random.pick(FIELDS), random.pick([...FIELDS, NAME])])];
  const facetLimit = 1 + random.below(8);
  const facets = fields.map(({ name }) => name).join();
  // Twice: the second answer may be of posting lists, which are in memory by then.
  await service.list(PERSON, { ...options, facets, facetLimit });
  await service.listCaches.idle();
  const answer = await service.list(PERSON, { ...options, facets, facetLimit });
  expect(Object.keys(answer.facets ?? {}), where).toEqual(fields.map(({ name }) => name));
  for (const field of fields) {
    const expected = counted(field, matches).slice(0, facetLimit);
    const found = answer.facets?.[field.name] ?? [];
    const shown = found.map(({ value, count }) => ({ key: keyOf(field, value), count }));
    const wanted = expected.map(({ key, count }) => ({ key, count }));
    expect(shown, `${where}, facet ${field.name}`).toEqual(wanted);
    // Equal instants and longs may be different texts; it is one that an object has.
    for (const [i, { value }] of found.entries()) expect(expected[i]?.forms, where).toContain(value);
  }
}

interface Counted {
  readonly key: string;
  readonly forms: Set<string | number | boolean>;
  count: number;
}

function counted(field: Field, objects: readonly ExtensionObject[]): Counted[] {
  const counts = new Map<string, Counted>();
  for (const object of objects) {
    const keys = new Set<string>();
    for (const value of field.read(object)) {
      const key = keyOf(field, value);
      const one = counts.get(key) ?? { key, forms: new Set(), count: 0 };
      one.forms.add(value);
      if (!keys.has(key)) one.count++;
      keys.add(key);
      counts.set(key, one);
    }
  }
  const orderOf = ({ forms: [form = ''] }: { readonly forms: readonly (string | number | boolean)[] }) =>
    comparable(field.kind, form);
  return [...counts.values()].sort(
    (a, b) =>
      b.count - a.count || compare(orderOf({ forms: [...a.forms] }), orderOf({ forms: [...b.forms] })),
  );
}

function keyOf({ kind }: Field, value: string | number | boolean): string {
  return String(comparable(kind, value));
}
