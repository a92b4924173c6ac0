import { joinPath } from '../../lib/json/json.js';
import type { Json, JsonObject } from '../object.js';
import type { Resource } from '../resource.js';
import { compareRules } from './compare-rules.js';
import type { SchemaChange, ReportChange } from './schema-change.js';
import { followPointer, getEntries, getList, isJsonObject } from '../schema/schema-walk.js';

/**
 * The differences between the schemas of two declarations of a model, by path. Descriptive keywords are not compared.
 */
export function compareResources(
  before: Pick<Resource, 'schema'>,
  after: Pick<Resource, 'schema'>,
): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  new Comparison(before.schema, after.schema, (change) => changes.push(change)).compare('', {
    before: before.schema,
    after: after.schema,
  });
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Two schemas of the same place. */
interface Pair {
  readonly before: Json;
  readonly after: Json;
}

class Comparison {
  /** Compared pairs: a schema may refer to itself. */
  readonly #seen = new Map<JsonObject, Set<JsonObject>>();
  /** Merged schemas for those with a reference and other keywords. One object each, so that recursion ends. */
  readonly #merged = new Map<JsonObject, JsonObject>();

  constructor(
    private readonly rootBefore: JsonObject,
    private readonly rootAfter: JsonObject,
    private readonly report: ReportChange,
  ) {}

  compare(path: string, pair: Pair): void {
    const before = this.#resolved(this.rootBefore, pair.before);
    const after = this.#resolved(this.rootAfter, pair.after);
    if (!this.#isNew(before, after)) return;
    compareRules(path, before, after, this.report);
    this.#compareMembers(path, before, after);
    const items = [findItems(before), findItems(after)] as const;
    if (items[0] !== undefined && items[1] !== undefined)
      this.compare(`${path}[]`, { before: items[0], after: items[1] });
  }

  /** The schema behind references; one that accepts everything when the value is not a schema. */
  #resolved(root: JsonObject, schema: Json): JsonObject {
    let present = schema;
    for (let i = 0; i < REFERENCES_MAX; i++) {
      if (!isJsonObject(present)) return present === false ? NOTHING : ANYTHING;
      if (typeof present.$ref !== 'string') return present;
      present = this.#merged.get(present) ?? this.#merge(root, present, present.$ref);
    }
    return ANYTHING;
  }

  #merge(root: JsonObject, schema: JsonObject, pointer: string): JsonObject {
    const { $ref: _, ...beside } = schema;
    const target = followPointer(root, pointer)?.at(-1);
    if (isJsonObject(target) && Object.keys(beside).length === 0) return target;
    const merged = { ...(isJsonObject(target) ? target : {}), ...beside };
    this.#merged.set(schema, merged);
    return merged;
  }

  #typeName(root: JsonObject, schema: Json): string {
    const { type } = this.#resolved(root, schema);
    if (typeof type === 'string') return type;
    return Array.isArray(type) ? type.map(String).join(' or ') : 'any';
  }

  #isNew(before: JsonObject, after: JsonObject): boolean {
    const known = this.#seen.get(before) ?? new Set();
    this.#seen.set(before, known);
    if (known.has(after)) return false;
    known.add(after);
    return true;
  }

  #compareMembers(path: string, before: JsonObject, after: JsonObject): void {
    const [old, now] = [new Map(getEntries(before.properties)), new Map(getEntries(after.properties))];
    const [required, requires] = [getRequired(before), getRequired(after)];
    for (const [name, schema] of now) {
      const at = joinPath(path, name);
      const isRequired = requires.has(name);
      if (isRequired && !required.has(name)) {
        const text = old.has(name)
          ? 'is now required'
          : `added (${this.#typeName(this.rootAfter, schema)}), required`;
        this.report({ kind: 'required-added', path: at, text, isTighter: true });
      } else if (!old.has(name)) {
        // Existing objects may have such a field with another type.
        const text = `added (${this.#typeName(this.rootAfter, schema)})`;
        this.report({ kind: 'field-added', path: at, text, isTighter: false });
      } else if (!isRequired && required.has(name)) {
        this.report({ kind: 'required-removed', path: at, text: 'is no longer required', isTighter: false });
      }
      const known = old.get(name);
      if (known !== undefined) this.compare(at, { before: known, after: schema });
    }
    for (const name of requires) {
      if (now.has(name) || required.has(name)) continue;
      const at = joinPath(path, name);
      this.report({ kind: 'required-added', path: at, text: 'is now required', isTighter: true });
    }
    for (const name of old.keys()) {
      if (now.has(name)) continue;
      const at = joinPath(path, name);
      this.report({ kind: 'field-removed', path: at, text: 'removed', isTighter: false });
    }
    const [open, opened] = [before.additionalProperties, after.additionalProperties];
    if (isJsonObject(open) && isJsonObject(opened))
      this.compare(`${path}.*`, { before: open, after: opened });
  }
}

const REFERENCES_MAX = 50;
const ANYTHING: JsonObject = {};
const NOTHING: JsonObject = { not: {} };

function getRequired({ required }: JsonObject): ReadonlySet<string> {
  return new Set(getList(required).filter((name) => typeof name === 'string'));
}

function findItems({ items }: JsonObject): Json | undefined {
  return Array.isArray(items) ? undefined : items;
}
