import { badRequest } from '../errors.js';
import { getOwn, isRecord, setOwn } from '../lib/json/json.js';
import { formatValue } from '../model/validate/violation.js';

type Members = Readonly<Record<string, unknown>>;

const DIRECTIVE = '$patch';
const RETAIN = '$retainKeys';
const ORDER = '$setElementOrder/';
const DELETE = '$deleteFromPrimitiveList/';
const PREFIXES = [ORDER, DELETE] as const;

/**
 * Applies a strategic merge patch. The schema says by `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`
 * which lists are merged; others are replaced.
 * @returns the patched object; neither the object nor the patch is changed
 * @throws ServiceError `BadRequest` for a patch that is no object, and for directives that cannot be applied
 */
export function applyStrategicMerge(schema: Members, object: Members, patch: unknown): Members {
  if (!isRecord(patch)) throw badRequest('a strategic merge patch must be an object');
  if (DIRECTIVE in patch) throw badRequest(`${DIRECTIVE} must not be used for the whole object`);
  return mergeMembers(schema, object, patch);
}

function mergeMembers(schema: Members, old: Members, patch: Members): Members {
  const merged: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(retained(old, patch))) setOwn(merged, key, value);
  for (const key of namesOf(patch)) {
    const value = mergeMember(memberSchema(schema, key), getOwn(old, key), changeOf(patch, key));
    if (value === undefined) Reflect.deleteProperty(merged, key);
    else setOwn(merged, key, value);
  }
  return merged;
}

/** The schema of a member; empty when none declares it. */
function memberSchema({ properties, additionalProperties }: Members, key: string): Members {
  const declared = isRecord(properties) ? getOwn(properties, key) : undefined;
  const schema = declared ?? additionalProperties;
  return isRecord(schema) ? schema : {};
}

/** The change of one member: a value, directives for a list, or both. */
interface MemberChange {
  /** Undefined when only directives are stated. */
  readonly value: unknown;
  readonly deleted: readonly unknown[];
  readonly order: readonly unknown[] | undefined;
}

function changeOf(patch: Members, key: string): MemberChange {
  return {
    value: getOwn(patch, key),
    deleted: listAt(patch, DELETE + key) ?? [],
    order: listAt(patch, ORDER + key),
  };
}

function listAt(patch: Members, key: string): readonly unknown[] | undefined {
  const value = getOwn(patch, key);
  if (value === undefined || Array.isArray(value)) return value;
  throw badRequest(`${key} must be a list`);
}

/** The members that a patch changes, each once. */
function namesOf(patch: Members): ReadonlySet<string> {
  const names = Object.keys(patch).filter((key) => key !== DIRECTIVE && key !== RETAIN);
  return new Set(
    names.map((key) => key.slice(PREFIXES.find((prefix) => key.startsWith(prefix))?.length ?? 0)),
  );
}

/** The members of an object that a patch keeps: all, unless it lists them. */
function retained(old: Members, patch: Members): Members {
  const keys = listAt(patch, RETAIN);
  if (keys === undefined) return old;
  const kept = new Set(keys);
  const missing = [...namesOf(patch)].find((key) => !kept.has(key));
  if (missing !== undefined) throw badRequest(`${RETAIN} lacks "${missing}", which the patch has`);
  return Object.fromEntries(Object.entries(old).filter(([key]) => kept.has(key)));
}

/** @returns undefined when the member is to be removed */
function mergeMember(schema: Members, old: unknown, change: MemberChange): unknown {
  const { value } = change;
  if (value === null) return undefined;
  if (isRecord(value)) return mergeMap(schema, old, value);
  if (value !== undefined && !Array.isArray(value)) return value;
  const isMerged = String(schema['x-kubernetes-patch-strategy']).split(',').includes('merge');
  if (!isMerged) return value === undefined ? old : value.map(withoutDirectives);
  if (value === undefined && !Array.isArray(old)) return old;
  const list = new MergedList(schema);
  return list.merge(Array.isArray(old) ? old : [], { ...change, value: value ?? [] });
}

function mergeMap(schema: Members, old: unknown, value: Members): Members | undefined {
  const { [DIRECTIVE]: directive, ...members } = value;
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return withoutDirectives(members) as Members;
  if (directive !== undefined) refuseDirective(directive);
  return mergeMembers(schema, isRecord(old) ? old : {}, value);
}

function refuseDirective(directive: unknown): never {
  throw badRequest(`${DIRECTIVE}: ${formatValue(directive)} is neither "delete" nor "replace"`);
}

/** A list whose items are merged: by a key, or as a set of scalars. */
class MergedList {
  readonly #key: string | undefined;
  readonly #items: Members;

  constructor(schema: Members) {
    const { 'x-kubernetes-patch-merge-key': key, items } = schema;
    this.#key = typeof key === 'string' ? key : undefined;
    this.#items = isRecord(items) ? items : {};
  }

  merge(
    old: readonly unknown[],
    { value, deleted, order }: MemberChange & { readonly value: readonly unknown[] },
  ): readonly unknown[] {
    const items = value.filter((item) => directiveOf(item) === undefined);
    if (value.some((item) => directiveOf(item) === 'replace')) return items.map(withoutDirectives);
    const gone = new Set(deleted.map((item) => this.#identify(item)));
    for (const item of value) if (directiveOf(item) === 'delete') gone.add(this.#identify(item));
    const merged = new Map<string, unknown>();
    for (const item of old) {
      const id = this.#identify(item);
      if (gone.has(id)) continue;
      // Several items may have one key, such as the ports of two protocols; a patch is for the first of them.
      const isFurther = this.#key !== undefined && merged.has(id);
      merged.set(isFurther ? `${id} ${merged.size}` : id, item);
    }
    const places = new Map([...merged.keys()].map((id, i) => [id, i]));
    for (const item of items) {
      const id = this.#identify(item);
      merged.set(id, this.#mergeItem(merged.get(id), item));
    }
    const stated = unique(items.map((item) => this.#identify(item)));
    const wanted = order === undefined ? stated : unique(order.map((item) => this.#identify(item)));
    if (order !== undefined) checkOrder(stated, wanted);
    return arranged([...merged.keys()], wanted, places).map((id) => merged.get(id));
  }

  #mergeItem(old: unknown, item: unknown): unknown {
    return isRecord(item) ? mergeMembers(this.#items, isRecord(old) ? old : {}, item) : item;
  }

  #identify(item: unknown): string {
    if (this.#key === undefined) return JSON.stringify(item);
    const id = isRecord(item) ? getOwn(item, this.#key) : undefined;
    if (id === undefined || id === null)
      throw badRequest(`an item of a list lacks "${this.#key}": ${formatValue(item)}`);
    return JSON.stringify(id);
  }
}

function directiveOf(item: unknown): unknown {
  const directive = isRecord(item) ? item[DIRECTIVE] : undefined;
  if (directive !== undefined && directive !== 'delete' && directive !== 'replace')
    refuseDirective(directive);
  return directive;
}

function unique(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}

/** @throws ServiceError `BadRequest` unless the stated items have the wanted order */
function checkOrder(stated: readonly string[], wanted: readonly string[]): void {
  const places = new Map(wanted.map((id, i) => [id, i]));
  const found = stated.map((id) => places.get(id) ?? -1);
  if (found.some((place, i) => place <= (found[i - 1] ?? -1)))
    throw badRequest(`the items of a list are not in the order of ${ORDER.slice(0, -1)}`);
}

/**
 * The wanted items in the wanted order. The others keep their own: each comes before the first wanted item that it
 * preceded.
 * @param places the items as they were
 */
function arranged(
  all: readonly string[],
  wanted: readonly string[],
  places: ReadonlyMap<string, number>,
): readonly string[] {
  const present = new Set(all);
  const named = new Set(wanted);
  const others = all.filter((id) => !named.has(id));
  const result: string[] = [];
  let next = 0;
  for (const id of wanted) {
    if (!present.has(id)) continue;
    const place = places.get(id) ?? -1;
    while (next < others.length && (places.get(others[next] ?? '') ?? Infinity) < place)
      result.push(others[next++] ?? '');
    result.push(id);
  }
  return [...result, ...others.slice(next)];
}

/** A new value: without members that are null, directives, and items that are to be deleted. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value))
    return value.filter((item) => directiveOf(item) === undefined).map(withoutDirectives);
  return isRecord(value) ? mergeMembers({}, {}, value) : value;
}
