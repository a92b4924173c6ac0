import type { Cause } from '../../errors.js';
import { valueOfData } from '../../cel/data.js';
import type { Allowance } from '../../cel/program.js';
import { OptionalValue, type Value } from '../../cel/values.js';
import { getOwn, isRecord } from '../../lib/json/json.js';
import type { Path } from '../../lib/json/json-difference.js';
import { fieldPath } from '../validate/field-path.js';
import type { JsonObject } from '../object.js';
import type { Finding } from '../validate/old-findings.js';
import { RULES } from './declaration.js';
import { RuleTree, type RuleNode } from './rule-tree.js';
import { judge, type Rule, type RuleVerdict } from './rule.js';
import { SchemaTypes } from './schema-types.js';
import { Shapes } from './shapes.js';
import type { Circumstances, Rules } from './source.js';

/** Limit for the steps of all rules for one object: some 100 ms. */
export const OBJECT_STEPS_MAX = 2_000_000;

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
      new Asking(circumstances, isModel ? all : undefined).ask(tree.root, object),
  };
}

/** The paths of a whole object that its rules can read. */
function getOwnFields(names: Iterable<string>): readonly Path[] {
  return [...[...names].filter((name) => name !== 'metadata').map((name) => [name]), ['metadata', 'name']];
}

/** The values of a place. */
interface Values {
  readonly now: unknown;
  /** Undefined when the place had no value. */
  readonly old: unknown;
}

/** Evaluates the rules for one object. */
class Asking {
  readonly #findings: Finding[] = [];
  readonly #allowance: Allowance = { steps: OBJECT_STEPS_MAX };
  readonly #way: (string | number)[] = [];

  constructor(
    private readonly circumstances: Circumstances,
    /** The paths that represent a whole object of a model; undefined for other data. */
    private readonly whole: readonly Path[] | undefined,
  ) {}

  ask(root: RuleNode, object: object): readonly Finding[] {
    const { old } = this.circumstances;
    this.#visit(root, { now: object, old });
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

  #askRules(node: RuleNode, values: Values): void {
    for (const [index, rule] of node.rules.entries()) {
      if (!this.#isAsked(rule, values)) continue;
      const verdict = judge(rule, () => this.#valuesFor(rule, node, values), this.#allowance);
      if (verdict === undefined) continue;
      const finding = this.#findingOf(rule, `${node.id} ${index}`, verdict);
      if (!verdict.isUnjudged || !this.#isUnfit(finding.at())) this.#findings.push(finding);
    }
  }

  /** Rules that read an earlier value apply to changes, unless they declare otherwise. */
  #isAsked({ readsOld, declaration }: Rule, { old }: Values): boolean {
    if (!readsOld) return true;
    if (this.circumstances.isStored) return false;
    return declaration.optionalOldSelf === true || (old !== undefined && old !== null);
  }

  #valuesFor({ readsOld, declaration }: Rule, { self }: RuleNode, { now, old }: Values): readonly Value[] {
    const value = valueOfData(this.#seen(now), self);
    if (!readsOld) return [value];
    const isAbsent = old === undefined || old === null;
    if (declaration.optionalOldSelf !== true) return [value, valueOfData(this.#seen(old), self)];
    return [value, isAbsent ? OptionalValue.NONE : new OptionalValue(valueOfData(this.#seen(old), self))];
  }

  /**
   * Rules read only the name of an object's metadata. A name that is not generated yet is represented by its prefix.
   */
  #seen(value: unknown): unknown {
    if (this.whole === undefined || this.#way.length > 0 || !isRecord(value)) return value;
    const { metadata } = value;
    const { name, generateName }: Readonly<Record<string, unknown>> = isRecord(metadata) ? metadata : {};
    return { ...value, metadata: { name: name ?? generateName } };
  }

  #findingOf(rule: Rule, id: string, { message, isUnjudged }: NonNullable<RuleVerdict>): Finding {
    const way = [...this.#way];
    const { reason = 'FieldValueInvalid' } = rule.declaration;
    const field = fieldPath([...way, ...rule.fieldPath]);
    const cause = (): Cause => ({ field, reason, message });
    return {
      key: `rule ${id} ${JSON.stringify(way)}`,
      at: () => this.#pathsOf(rule, way),
      cause,
      isUnjudged,
    };
  }

  #pathsOf({ reads }: Rule, way: Path): readonly Path[] {
    if (this.whole === undefined || way.length > 0) return reads.map((read) => [...way, ...read]);
    if (reads.some((read) => read.length === 0)) return this.whole;
    return reads.map((read) => (read[0] === 'metadata' ? ['metadata', 'name'] : read));
  }

  /** True when a value that the rule reads violates its schema, which is reported already. */
  #isUnfit(reads: readonly Path[]): boolean {
    return this.circumstances.faults().some((fault) => reads.some((read) => overlap(fault, read)));
  }
}

function getKey(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isRecord(item) ? getOwn(item, key) : undefined) ?? null));
}

function byKeys(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(items.map((item) => [getKey(item, keys), item]));
}

/** True when one path contains the other. */
function overlap(a: Path, b: Path): boolean {
  return a.slice(0, b.length).every((step, i) => step === b[i]);
}
