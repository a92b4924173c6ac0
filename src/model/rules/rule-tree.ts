import { RULES, rulesIn } from './declaration.js';
import { compileRule, type Rule } from './rule.js';
import { modelType, type SchemaTypes } from './schema-types.js';
import type { RuleShape } from './shapes.js';
import type { Type } from '../../cel/types.js';
import type { Json, JsonObject } from '../object.js';
import { eachSubschema, followPointer, isJsonObject } from '../schema/schema-walk.js';
import { joinPath } from '../../lib/json/json.js';

/** A place of a schema: its rules, and the places below it with rules. */
export class RuleNode {
  readonly rules: Rule[] = [];
  readonly fields = new Map<string, RuleNode>();
  others: RuleNode | undefined;
  items: RuleNode | undefined;
  /** Fields that identify the same item in an earlier list; undefined when items cannot be matched. */
  keys: readonly string[] | undefined;
  /** True when this place, or one below it, has rules. */
  isLive = false;

  constructor(
    readonly id: number,
    readonly self: Type,
  ) {}

  children(): readonly RuleNode[] {
    return [...this.fields.values(), this.others, this.items].filter((node) => node !== undefined);
  }
}

/** Finds and compiles the rules of a schema. */
export class RuleTree {
  readonly root: RuleNode;
  readonly #nodes = new Map<string, RuleNode>();
  readonly #shapeIds = new Map<RuleShape, number>();
  readonly #seen = new Set<JsonObject>();
  readonly #faults: string[] = [];

  /** @throws Error with every rule that cannot be used, and its place */
  constructor(
    root: RuleShape,
    private readonly types: SchemaTypes,
    private readonly isModel: boolean,
  ) {
    this.root = this.#nodeOf(root, '', true);
    this.#markLive();
    for (const schema of root.parts) this.#findUnasked(schema, schema, new Set());
    if (this.#faults.length > 0) throw new Error([...new Set(this.#faults)].join('; '));
  }

  /** All rules, for analysis before evaluation. */
  rules(): readonly Rule[] {
    return [...this.#nodes.values()].flatMap(({ rules }) => rules);
  }

  #nodeOf(shape: RuleShape, path: string, hasOld: boolean): RuleNode {
    const id = this.#shapeIds.get(shape) ?? this.#shapeIds.size;
    this.#shapeIds.set(shape, id);
    const key = `${id} ${hasOld}`;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const type = this.types.of(shape);
    const node = new RuleNode(this.#nodes.size, path === '' && this.isModel ? modelType(type) : type);
    this.#nodes.set(key, node);
    this.#addRules(node, shape, path, hasOld);
    for (const [name, field] of shape.fields)
      node.fields.set(name, this.#nodeOf(field, joinPath(path, name), hasOld));
    if (shape.others !== undefined) node.others = this.#nodeOf(shape.others, joinPath(path, '*'), hasOld);
    if (shape.items === undefined) return node;
    node.keys = hasOld ? findKeys(shape) : undefined;
    node.items = this.#nodeOf(shape.items, `${path}[]`, node.keys !== undefined);
    return node;
  }

  #addRules(node: RuleNode, shape: RuleShape, path: string, hasOld: boolean): void {
    const place = { shape, self: node.self, hasOld };
    for (const part of shape.parts) {
      this.#seen.add(part);
      this.#try(path, () => {
        for (const declaration of rulesIn(part))
          this.#try(path, () => node.rules.push(compileRule(declaration, place)));
      });
    }
  }

  #try(path: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#faults.push(path === '' ? text : `${path}: ${text}`);
    }
  }

  #markLive(): void {
    const nodes = [...this.#nodes.values()];
    for (const node of nodes) node.isLive = node.rules.length > 0;
    for (let hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (const node of nodes) {
        if (node.isLive || !node.children().some(({ isLive }) => isLive)) continue;
        node.isLive = true;
        hasChanged = true;
      }
    }
    for (const { fields, others } of nodes) {
      // Where other fields have rules, a declared field without rules must remain known, so that theirs do not apply
      // to it.
      if (others?.isLive === true) continue;
      for (const [name, field] of fields) if (!field.isLive) fields.delete(name);
    }
  }

  /** Rules below `anyOf`, `not` and the like would never be evaluated. */
  #findUnasked(root: JsonObject, schema: Json, visited: Set<Json>): void {
    if (!isJsonObject(schema) || visited.has(schema)) return;
    visited.add(schema);
    if (schema[RULES] !== undefined && !this.#seen.has(schema)) {
      this.#faults.push(
        `${RULES} is evaluated only at fields, items, additionalProperties and below allOf, not here: ` +
          JSON.stringify(schema[RULES]).slice(0, 100),
      );
    }
    if (typeof schema.$ref === 'string') {
      const target = followPointer(root, schema.$ref)?.at(-1);
      if (target !== undefined) this.#findUnasked(root, target, visited);
    }
    eachSubschema(schema, (sub, [keyword]) => {
      if (keyword !== '$defs' && keyword !== 'definitions') this.#findUnasked(root, sub, visited);
    });
  }
}

function findKeys(shape: RuleShape): readonly string[] | undefined {
  if (!shape.all('x-kubernetes-list-type').includes('map')) return undefined;
  const keys = shape
    .all('x-kubernetes-list-map-keys')
    .flat()
    .filter((key) => typeof key === 'string');
  return keys.length === 0 ? undefined : keys;
}
