import type { JsonObject } from '../../../lib/json.js';
import { groupBy } from '../../../lib/group-by.js';
import { addTo, getProduct, keyOf, pairsOf, rowOf, type Cells, type ResourceRow, type Row } from './cells.js';

/** Verbs in their usual order. */
const ORDER: readonly string[] = [
  ...['*', 'get', 'list', 'watch', 'head', 'options', 'post', 'put'],
  ...['create', 'update', 'patch', 'delete', 'escalate'],
];

/** A row with its verbs. */
interface Share {
  readonly row: Row;
  readonly verbs: readonly string[];
}

/**
 * The rules whose cells are the wanted ones. Rules that the matrix cannot show, and those that only grant wanted cells, stay as they
 * are, in their order.
 */
export function writeRules(rules: readonly unknown[], wanted: Cells): readonly unknown[] {
  const kept = rules.flatMap((rule) => keepWanted(rule, wanted));
  const missing = getMissing(kept, wanted);
  const grown = kept.map((rule) => withResource(withVerbs(rule, missing), missing));
  const left = [...missing].map(([key, verbs]) => ({ row: rowOf(key), verbs: sorted(verbs) }));
  return [...grown, ...makeRules(left)];
}

function keepWanted(rule: unknown, wanted: Cells): readonly unknown[] {
  const product = getProduct(rule);
  if (product === undefined) return [rule];
  const isWanted = (row: Row, verb: string): boolean => wanted.get(keyOf(row))?.has(verb) === true;
  if (product.rows.every((row) => product.verbs.every((verb) => isWanted(row, verb)))) return [rule];
  return makeRules(
    product.rows.map((row) => ({ row, verbs: product.verbs.filter((verb) => isWanted(row, verb)) })),
  );
}

function getMissing(rules: readonly unknown[], wanted: Cells): Map<string, Set<string>> {
  const missing = new Map<string, Set<string>>();
  for (const [key, verbs] of wanted) for (const verb of verbs) addTo(missing, key, verb);
  for (const rule of rules) for (const [key, verb] of pairsOf(getProduct(rule))) take(missing, key, verb);
  return missing;
}

function take(missing: Map<string, Set<string>>, key: string, verb: string): void {
  const verbs = missing.get(key);
  verbs?.delete(verb);
  if (verbs?.size === 0) missing.delete(key);
}

/** Adds the verbs that are missing in all rows of a rule. */
function withVerbs(rule: unknown, missing: Map<string, Set<string>>): unknown {
  const product = getProduct(rule);
  const [first, ...others] = (product?.rows ?? []).map((row) => missing.get(keyOf(row)));
  if (product === undefined || first === undefined) return rule;
  const added = sorted(first).filter((verb) => others.every((one) => one?.has(verb) === true));
  if (added.length === 0) return rule;
  for (const row of product.rows) for (const verb of added) take(missing, keyOf(row), verb);
  return { ...(rule as JsonObject), verbs: [...product.verbs, ...added] };
}

/** Adds the resources of the rule's only group that lack just the verbs of the rule. */
function withResource(rule: unknown, missing: Map<string, Set<string>>): unknown {
  const product = getProduct(rule);
  const [first] = product?.rows ?? [];
  if (product === undefined || first === undefined) return rule;
  const verbs = new Set(product.verbs);
  const isSame = (row: Row): boolean =>
    'path' in first || 'path' in row
      ? 'path' in first && 'path' in row
      : product.rows.every((one) => 'group' in one && one.group === row.group) &&
        isEqual(first.names, row.names);
  const added = [...missing]
    .filter(
      ([key, lacking]) =>
        isSame(rowOf(key)) && lacking.size === verbs.size && [...lacking].every((verb) => verbs.has(verb)),
    )
    .map(([key]) => rowOf(key));
  if (added.length === 0) return rule;
  for (const row of added) missing.delete(keyOf(row));
  const [member, values] =
    'path' in first
      ? ['nonResourceURLs', product.rows.concat(added).flatMap((row) => ('path' in row ? row.path : []))]
      : ['resources', product.rows.concat(added).flatMap((row) => ('path' in row ? [] : row.resource))];
  return { ...(rule as JsonObject), [member]: values };
}

/** Few rules for rows with their verbs: rows of the same verbs and names share one. */
function makeRules(shares: readonly Share[]): readonly unknown[] {
  const used = shares.filter(({ verbs }) => verbs.length > 0);
  const alike = groupBy(used, ({ row, verbs }) => [
    JSON.stringify([verbs, 'path' in row ? null : row.names]),
  ]);
  return [...alike.values()].flatMap((those): readonly object[] => {
    const verbs = those[0]?.verbs ?? [];
    const paths = those.flatMap(({ row }) => ('path' in row ? row.path : []));
    if (paths.length > 0) return [{ nonResourceURLs: paths, verbs }];
    const rows = those.flatMap(({ row }) => ('path' in row ? [] : row));
    return productsOf(rows).map((product) => ({ ...product, verbs }));
  });
}

/** Rows of the same names as products: groups with the same resources share one. */
function productsOf(rows: readonly ResourceRow[]): readonly object[] {
  const resourceNames = rows[0]?.names ?? [];
  const groups = [...groupBy(rows, ({ group }) => [group])].map(([group, those]) => ({
    group,
    resources: those.map(({ resource }) => resource),
  }));
  const alike = groupBy(groups, ({ resources }) => [JSON.stringify(resources)]);
  return [...alike.values()].map((those) => ({
    apiGroups: those.map(({ group }) => group),
    resources: those[0]?.resources ?? [],
    ...(resourceNames.length > 0 && { resourceNames }),
  }));
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

function sorted(verbs: Iterable<string>): readonly string[] {
  return [...verbs].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
}
