import { formatExcerpt, shortPath, type Cause } from '../../errors.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Table } from '../../store/table.js';
import type { MayList } from '../verbs.js';
import type { NamedTarget } from './work.js';
import { getSubject } from '../object-errors.js';

/** Most objects that a refusal names, and most models whose objects it only counts. */
const NAMED_MAX = 10;

/** An object that refers to a deleted one, and the field. */
export interface Referrer extends NamedTarget {
  readonly field: string;
}

/** Objects of a model that the sender may not list. */
interface Counted extends Omit<Referrer, 'name'> {
  readonly count: number;
}

/** The objects that prevent a deletion. All are counted; the first ones that the sender may list are named. */
export class Keepers {
  total = 0;
  #named: Referrer[] = [];
  readonly #counted = new Map<string, Counted>();
  readonly #listed = new Map<Table, boolean>();

  constructor(private readonly mayList: MayList) {}

  add(referrers: readonly Referrer[]): void {
    this.total += referrers.length;
    const named = referrers.filter(({ table }) => this.#isListed(table));
    this.#named = [...this.#named, ...named].sort(compareReferrers).slice(0, NAMED_MAX);
    if (named.length === referrers.length) return;
    for (const referrer of referrers) if (!this.#isListed(referrer.table)) this.#count(referrer);
  }

  #isListed(table: Table): boolean {
    const known = this.#listed.get(table) ?? this.mayList(table.resource);
    this.#listed.set(table, known);
    return known;
  }

  #count({ table, field }: Referrer): void {
    const key = sortKey({ table, name: '', field });
    this.#counted.set(key, { table, field, count: (this.#counted.get(key)?.count ?? 0) + 1 });
  }

  /** @param target the target of the references, as part of a sentence */
  causes(target: string): readonly Cause[] {
    const named = this.#named.map(({ table: { resource }, name, field }) => {
      const model = formatExcerpt(qualifiedPlural(resource));
      return `${getSubject(resource, name)} (${model}) refers to ${target} in ${shortPath(field)}`;
    });
    const groups = [...this.#counted].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, NAMED_MAX);
    const counted = groups.map(([, { table, field, count }]) => {
      const model = formatExcerpt(qualifiedPlural(table.resource));
      return `${count === 1 ? '1 object' : `${count} objects`} of ${model} refer${count === 1 ? 's' : ''} to ${target} in ${shortPath(field)}`;
    });
    return [...named, ...counted].map((message) => ({
      field: 'metadata.name',
      reason: 'FieldValueForbidden',
      message,
    }));
  }
}

/** By model, then by name. */
export function compareReferrers(a: Referrer, b: Referrer): number {
  const [first, second] = [sortKey(a), sortKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function sortKey({ table: { resource }, name, field }: Referrer): string {
  return `${resource.group}/${resource.kind}\0${name}\0${field}`;
}
