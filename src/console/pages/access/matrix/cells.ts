import { VERBS } from '../../../api/platform/rules.js';
import { isObject } from '../../../lib/json.js';

/** A row of the matrix for objects of models. */
export interface ResourceRow {
  /** `*` for all groups. */
  readonly group: string;
  /** `persons`, `persons/status`; `*` for all. */
  readonly resource: string;
  /** Only these objects; empty for all. */
  readonly names: readonly string[];
}

/** A row of the matrix; some are for paths without a model. */
export type Row = ResourceRow | { readonly path: string };

/** The verbs that rules allow, by the key of their row. */
export type Cells = ReadonlyMap<string, ReadonlySet<string>>;

export const ALL = '*';
/** The columns of models, after that of all verbs. */
export const MODEL_VERBS = [...VERBS, 'escalate'] as const;
/** The columns of paths: HTTP methods. */
export const PATH_VERBS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const;

/** A stored rule as a product: each of its rows has each of its verbs. */
interface Product {
  readonly rows: readonly Row[];
  readonly verbs: readonly string[];
}

const MEMBERS = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs', 'verbs'];

export function keyOf(row: Row): string {
  return JSON.stringify('path' in row ? [row.path] : [row.group, row.resource, ...row.names]);
}

export function rowOf(key: string): Row {
  const [first = '', resource, ...names] = JSON.parse(key) as string[];
  return resource === undefined ? { path: first } : { group: first, resource, names };
}

/** The product of a rule; undefined for a rule that the matrix cannot show. */
export function getProduct(rule: unknown): Product | undefined {
  if (!isObject(rule) || Object.keys(rule).some((name) => !MEMBERS.includes(name))) return undefined;
  const [groups, resources, names, paths, verbs] = MEMBERS.map((name) => getTexts(rule[name]));
  if (!groups || !resources || !names || !paths || !verbs || verbs.length === 0) return undefined;
  const isOfPaths = paths.length > 0;
  if (
    isOfPaths ? groups.length + resources.length + names.length > 0 : groups.length * resources.length === 0
  )
    return undefined;
  const known: readonly string[] = isOfPaths ? PATH_VERBS : MODEL_VERBS;
  if (verbs.some((verb) => verb !== ALL && !known.includes(verb))) return undefined;
  const rows = isOfPaths
    ? paths.map((path) => ({ path }))
    : groups.flatMap((group) => resources.map((resource) => ({ group, resource, names })));
  return { rows, verbs };
}

/** Undefined for anything except a list of texts; an absent list is empty. */
function getTexts(value: unknown): readonly string[] | undefined {
  if (value === undefined) return [];
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

/** The verbs of all rules that the matrix can show. */
export function getCells(rules: readonly unknown[]): Cells {
  const cells = new Map<string, Set<string>>();
  for (const rule of rules) for (const [key, verb] of pairsOf(getProduct(rule))) addTo(cells, key, verb);
  return cells;
}

/** Each row of a product with each verb. */
export function* pairsOf(product: Product | undefined): Generator<readonly [key: string, verb: string]> {
  for (const row of product?.rows ?? []) for (const verb of product?.verbs ?? []) yield [keyOf(row), verb];
}

export function addTo(cells: Map<string, Set<string>>, key: string, verb: string): void {
  const verbs = cells.get(key);
  if (verbs === undefined) cells.set(key, new Set([verb]));
  else verbs.add(verb);
}

/** The rows that contain a row: their rights are also its rights. */
function getBroader(row: Row): readonly string[] {
  if ('path' in row) return [];
  const { group, resource } = row;
  const broader = [group, ALL].flatMap((one) =>
    [resource, ALL].map((other) => ({ group: one, resource: other, names: [] })),
  );
  const own = keyOf(row);
  return [...new Set(broader.map(keyOf))].filter((key) => key !== own);
}

/** The state of a cell: `own` by a rule for its row, `implied` by a broader row or by all verbs. */
type CellState = 'none' | 'own' | 'implied';

export function getState(cells: Cells, row: Row, verb: string): CellState {
  const own = cells.get(keyOf(row));
  if (own?.has(verb) === true) return 'own';
  const isImplied = (key: string): boolean =>
    cells.get(key)?.has(ALL) === true || cells.get(key)?.has(verb) === true;
  return own?.has(ALL) === true || getBroader(row).some(isImplied) || isOfPrefix(cells, row, verb)
    ? 'implied'
    : 'none';
}

/** True when a path that ends with `*` covers the row. */
function isOfPrefix(cells: Cells, row: Row, verb: string): boolean {
  if (!('path' in row)) return false;
  return [...cells].some(([key, verbs]) => {
    const other = rowOf(key);
    if (!('path' in other) || other.path === row.path || !other.path.endsWith(ALL)) return false;
    return row.path.startsWith(other.path.slice(0, -1)) && (verbs.has(ALL) || verbs.has(verb));
  });
}
