import { getOwn, isRecord } from '../../lib/json/json.js';
import type { Path } from '../../lib/json/json-difference.js';
import type { JsonObject } from '../object.js';
import type { Finding } from '../validate/old-findings.js';
import { RuleAsker, type PlaceOfData } from './ask-rules.js';
import { RULES } from './declaration.js';
import { RuleTree, type RuleNode } from './rule-tree.js';
import { SchemaTypes } from './schema-types.js';
import { Shapes } from './shapes.js';
import type { Rules } from './source.js';

/**
 * Compiles the rules in a schema.
 * @param isModel true for the schema of a model's whole object
 * @returns undefined when the schema has no rules
 * @throws Error with every rule that cannot be used: its place, its expression, the error and its position
 */
export function compileRules(schema: JsonObject, isModel: boolean): Rules | undefined {
  if (!JSON.stringify(schema).includes(`"${RULES}"`)) return undefined;
  const root = new Shapes(schema).of([schema]);
  const tree = new RuleTree(root, new SchemaTypes(schema), isModel);
  if (!tree.root.isLive) return undefined;
  const all = getOwnFields(root.fields.keys());
  return {
    readOld: tree.rules().some(({ readsOld }) => readsOld),
    find: (object, circumstances) =>
      new Asking(new RuleAsker(circumstances, isModel ? all : undefined)).ask(tree.root, {
        now: object,
        old: circumstances.old,
      }),
  };
}

/** The paths of a whole object that its rules can read. */
function getOwnFields(names: Iterable<string>): readonly Path[] {
  return [...[...names].filter((name) => name !== 'metadata').map((name) => [name]), ['metadata', 'name']];
}

type Values = Pick<PlaceOfData, 'now' | 'old'>;

/** Evaluates the rules for one object. */
class Asking {
  readonly #findings: Finding[] = [];
  readonly #way: (string | number)[] = [];

  constructor(private readonly asker: RuleAsker) {}

  ask(root: RuleNode, values: Values): readonly Finding[] {
    this.#visit(root, values);
    return this.#findings;
  }

  #visit(node: RuleNode, { now, old }: Values): void {
    // Absent and null values are checked by the rules of the containing value.
    if (!node.isLive || now === undefined || now === null) return;
    if (node.rules.length > 0) this.#askRules(node, { now, old });
    if (Array.isArray(now)) this.#visitItems(node, now, old);
    else if (isRecord(now)) this.#visitFields(node, now, isRecord(old) ? old : {});
  }

  #visitFields(
    node: RuleNode,
    now: Readonly<Record<string, unknown>>,
    old: Readonly<Record<string, unknown>>,
  ): void {
    const visit = (name: string, below: RuleNode): void => {
      this.#way.push(name);
      this.#visit(below, { now: getOwn(now, name), old: getOwn(old, name) });
      this.#way.pop();
    };
    for (const [name, field] of node.fields) visit(name, field);
    const { others } = node;
    if (others?.isLive !== true) return;
    for (const name of Object.keys(now)) if (!node.fields.has(name)) visit(name, others);
  }

  #visitItems({ items, keys }: RuleNode, now: readonly unknown[], old: unknown): void {
    if (items === undefined) return;
    const known = keys === undefined || !Array.isArray(old) ? undefined : byKeys(old, keys);
    for (const [at, item] of now.entries()) {
      this.#way.push(at);
      this.#visit(items, { now: item, old: known?.get(getKey(item, keys ?? [])) });
      this.#way.pop();
    }
  }

  #askRules({ id, self, rules }: RuleNode, values: Values): void {
    for (const [index, rule] of rules.entries()) {
      const finding = this.asker.ask(rule, `${id} ${index}`, { way: this.#way, self, ...values });
      if (finding !== undefined) this.#findings.push(finding);
    }
  }
}

/** The text of the members that identify an item. */
export function getKey(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isRecord(item) ? getOwn(item, key) : undefined) ?? null));
}

export function byKeys(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(items.map((item) => [getKey(item, keys), item]));
}
