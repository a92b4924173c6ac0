import { isRecord } from '../../lib/json/json.js';
import type { Resource } from '../../model/resource.js';

type Model = Pick<Resource, 'group' | 'kind'>;

/** Objects that others depend on, in the order of their writes. */
const EARLY: readonly Model[] = [
  { group: '', kind: 'Namespace' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
];

/** The place of a model in an order in which namespaces are first, then definitions, then all others. */
export function rankOf({ group, kind }: Model): number {
  const place = EARLY.findIndex((one) => one.group === group && one.kind === kind);
  return place < 0 ? EARLY.length : place;
}

export function isNamespaceModel({ group = '', kind }: Partial<Model>): boolean {
  return group === '' && kind === 'Namespace';
}

interface OfModel {
  readonly resource: Model;
}

/** True for namespaces and definitions. */
export function isEarly(model: Model): boolean {
  return rankOf(model) < EARLY.length;
}

/** Namespaces and definitions together, then all others. */
export function earlyAndLate<T extends OfModel>(
  all: readonly T[],
): readonly [early: readonly T[], late: readonly T[]] {
  return [all.filter(({ resource }) => isEarly(resource)), all.filter(({ resource }) => !isEarly(resource))];
}

/** In the reverse order: definitions take the objects of their kinds along, and namespaces the objects in them. */
export function lastFirst<T extends OfModel>(all: readonly T[]): readonly (readonly T[])[] {
  const ranks = new Set(all.map(({ resource }) => rankOf(resource)));
  return [...ranks]
    .sort((a, b) => b - a)
    .map((rank) => all.filter(({ resource }) => rankOf(resource) === rank));
}

/** The kinds of a definition in a file, as far as its objects can be written; none for any other value. */
export function declaredKinds(value: unknown): Resource[] {
  const { apiVersion, kind: of, spec } = isRecord(value) ? value : {};
  if (of !== 'CustomResourceDefinition' || apiVersion !== 'apiextensions.k8s.io/v1' || !isRecord(spec))
    return [];
  const { group, names, scope, versions } = spec;
  const { kind, plural } = isRecord(names) ? names : {};
  if (typeof group !== 'string' || typeof kind !== 'string' || typeof plural !== 'string') return [];
  const stated = (Array.isArray(versions) ? versions : []).flatMap((version: unknown) =>
    isRecord(version) && typeof version.name === 'string' ? version.name : [],
  );
  return stated.map((version) => ({
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    columns: [],
    schema: {},
    indexes: [],
    storageVersion: version,
    ...(scope === 'Namespaced' && { scope }),
  }));
}
