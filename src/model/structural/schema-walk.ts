import type { Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { spend } from '../../lib/work/allowance.js';
import type { Path } from '../../lib/json/json-difference.js';
import { fieldPath } from '../validate/field-path.js';
import type { Finding } from '../validate/old-findings.js';
import { CAUSES_MAX } from '../validate/validator.js';
import { getCause } from '../validate/violation.js';
import { findEmbeddedCauses } from './embedded.js';
import type { Check } from './keywords.js';
import { findRepeated, findScalarItem } from './lists.js';
import { EMBEDDED_METADATA, METADATA } from './metadata.js';
import { ANYTHING, RESOURCE_FIELDS, type Junctors, type SchemaNode } from './node.js';

/** Kubernetes asks rules only about values without violations of these keywords. */
const BLOCKING: ReadonlySet<string> = new Set([
  'type',
  'format',
  'enum',
  'required',
  'maxLength',
  'maxItems',
  'maxProperties',
]);

/** The unchanged parts of an object that replaces another one. */
export interface Unchanged {
  /** True when a value is as it was, so that its violations are not new. */
  has(way: Path): boolean;
  /** True when violations of list types are not new, wherever they are. */
  readonly hasListFaults: boolean;
}

/** A value whose schema node has rules. */
export interface RuledValue {
  readonly node: SchemaNode;
  readonly way: Path;
  readonly value: unknown;
}

/** Steps for a value with the checks of its schema. */
const VISIT_STEPS = 2;
/** Fields of a map that cost no more than others. */
const MAP_FIELDS = 10_000;
/** Steps for one more. Each copy and comparison of so large a map takes many times as long as of small ones. */
const LARGE_MAP_STEPS = 100;
/** Steps for a violation, which is mostly a copy of its path. */
const FAULT_STEPS = 3;
/** Steps for a violation that only decides between schemas. */
const TRIED_STEPS = 3;

/** Counts of new violations. */
interface Tally {
  made: number;
  blocking: number;
}

/** Compares a value with a structural schema. Collects violations, and the values that have rules. */
export class SchemaWalk {
  readonly made: Finding[] = [];
  readonly old: Finding[] = [];
  readonly ruled: RuledValue[] = [];
  #tally: Tally = { made: 0, blocking: 0 };
  /** Violations are counted, and not reported. */
  #isTrial = false;
  readonly #way: (string | number)[] = [];

  /** @param isPartial unchanged values are not checked */
  constructor(
    private readonly unchangedValues: Unchanged | undefined,
    private readonly isPartial = false,
  ) {}

  /** True when rules are not asked, because of a violation. */
  get isBlocked(): boolean {
    return this.#tally.blocking > 0;
  }

  visit(value: unknown, node: SchemaNode): void {
    if (node === ANYTHING) return;
    if (this.isPartial && !this.#isTrial && this.unchangedValues?.has(this.#way) === true) {
      this.#findRuled(value, node);
      return;
    }
    const { checks, junctors } = node;
    this.#check(value, checks.every, node);
    if (value === null) {
      if (checks.types !== undefined && !node.allowsNull) this.#addType(value, node);
      return;
    }
    if (Array.isArray(value)) this.#visitItems(value, node);
    else if (isRecord(value)) this.#visitFields(value, node);
    else this.#visitScalar(value, node);
    if (junctors !== undefined) this.#visitJunctors(value, junctors, node);
    if (node.hasRules && !this.#isTrial) this.ruled.push({ node, way: [...this.#way], value });
  }

  /** The rules of unchanged values may read earlier ones. */
  #findRuled(value: unknown, node: SchemaNode): void {
    const visit = (step: string | number, child: SchemaNode | undefined): void => {
      if (child === undefined || child === ANYTHING) return;
      this.#way.push(step);
      this.#findRuled(Reflect.get(Object(value), step), child);
      this.#way.pop();
    };
    if (Array.isArray(value)) for (const at of value.keys()) visit(at, node.items);
    else if (isRecord(value)) for (const name of Object.keys(value)) visit(name, node.field(name));
    if (node.hasRules && value !== null) this.ruled.push({ node, way: [...this.#way], value });
  }

  /** Adds a violation that has no keyword. */
  add(way: Path, cause: Cause, isOld: boolean): void {
    const findings = this.#count(isOld && !this.#isTrial);
    findings?.push({ key: String(findings.length), at: () => [way], cause: () => cause });
    if (!isOld && cause.reason === 'FieldValueRequired') this.#tally.blocking += 1;
  }

  #visitScalar(value: unknown, node: SchemaNode): void {
    const { checks } = node;
    if (typeof value === 'string') {
      if (checks.types?.includes('string') === false) this.#addType(value, node);
      this.#check(value, checks.string, node);
    } else if (typeof value === 'number') {
      if (!acceptsNumber(value, checks.types)) this.#addType(value, node);
      this.#check(value, checks.number, node);
    } else if (checks.types?.includes('boolean') === false) this.#addType(value, node);
  }

  #visitItems(items: readonly unknown[], node: SchemaNode): void {
    const { checks } = node;
    spend(VISIT_STEPS * items.length, 'schemas');
    if (checks.types?.includes('array') === false) this.#addType(items, node);
    this.#check(items, checks.array, node);
    this.#checkList(items, node);
    const below = node.items;
    for (let at = 0; at < items.length; at++) this.#visitBelow(at, items[at], below);
  }

  #visitFields(object: Readonly<Record<string, unknown>>, node: SchemaNode): void {
    const { checks, resource } = node;
    if (checks.types?.includes('object') === false) this.#addType(object, node);
    this.#check(object, checks.object, node);
    const names = Object.keys(object);
    spend(VISIT_STEPS * names.length + checks.required.length, 'schemas');
    if (names.length > MAP_FIELDS) spend(LARGE_MAP_STEPS * (names.length - MAP_FIELDS), 'large maps');
    for (const name of checks.required) {
      if (Object.hasOwn(object, name) || (resource === 'object' && RESOURCE_FIELDS.has(name))) continue;
      this.#add('required', { missingProperty: name }, object, node);
    }
    for (const name of names) {
      const field = node.field(name);
      if (field !== undefined) this.#visitBelow(name, object[name], field);
    }
    if (resource !== undefined) this.#visitResource(object, node);
  }

  #visitBelow(step: string | number, value: unknown, node: SchemaNode): void {
    this.#way.push(step);
    this.visit(value, node);
    this.#way.pop();
  }

  #visitResource(resource: Readonly<Record<string, unknown>>, node: SchemaNode): void {
    const { metadata } = resource;
    const isEmbedded = node.resource === 'embedded';
    if (metadata !== undefined)
      this.#visitBelow('metadata', metadata, isEmbedded ? EMBEDDED_METADATA : METADATA);
    if (!isEmbedded) return;
    const way = [...this.#way];
    for (const cause of findEmbeddedCauses(resource, fieldPath(way))) this.add(way, cause, false);
  }

  #checkList(items: readonly unknown[], node: SchemaNode): void {
    const add = (at: number, reason: Cause['reason'], message: string): void => {
      const way = [...this.#way, at];
      this.add(way, { field: fieldPath(way), reason, message }, this.unchangedValues?.hasListFaults === true);
    };
    const scalar = findScalarItem(items, node);
    if (scalar !== undefined) add(scalar, 'FieldValueInvalid', 'must be an object');
    else
      for (const at of findRepeated(items, node))
        add(at, 'FieldValueDuplicate', `is in the list already${describeKeys(node)}`);
  }

  #visitJunctors(value: unknown, { all, any, one, not }: Junctors, node: SchemaNode): void {
    spend(VISIT_STEPS * all.length, 'schemas');
    for (const part of all) this.visit(value, part);
    if (any.length > 0 && this.#countFitting(value, any) === 0) this.#add('anyOf', {}, value, node);
    const fitting = one.length === 0 ? 1 : this.#countFitting(value, one);
    // A list stands for several.
    if (fitting !== 1) this.#add('oneOf', { passingSchemas: fitting === 0 ? null : [] }, value, node);
    if (not !== undefined && this.#try(value, [not]) === 1) this.#add('not', {}, value, node);
  }

  /** Counts the schemas that accept the value. When there are none, their violations are reported. */
  #countFitting(value: unknown, nodes: readonly SchemaNode[]): number {
    const fitting = this.#try(value, nodes);
    if (fitting > 0 || this.#isTrial) return fitting;
    const [tally, made, old] = [{ ...this.#tally }, this.made.length, this.old.length];
    const now = this.#visitEach(value, nodes);
    if (now > 0) {
      // Unchanged values have only old violations.
      this.#tally = tally;
      this.made.length = made;
      this.old.length = old;
    }
    return now;
  }

  /** Counts the schemas that accept the value, whatever it was before. Reports nothing. */
  #try(value: unknown, nodes: readonly SchemaNode[]): number {
    const [tally, isTrial] = [{ ...this.#tally }, this.#isTrial];
    this.#isTrial = true;
    const fitting = this.#visitEach(value, nodes);
    this.#isTrial = isTrial;
    this.#tally = tally;
    return fitting;
  }

  #visitEach(value: unknown, nodes: readonly SchemaNode[]): number {
    let fitting = 0;
    spend(VISIT_STEPS * nodes.length, 'schemas');
    for (const node of nodes) {
      const { made } = this.#tally;
      this.visit(value, node);
      if (this.#tally.made === made) fitting += 1;
    }
    return fitting;
  }

  #check<T>(value: T, checks: readonly Check<T>[], node: SchemaNode): void {
    for (const { keyword, find } of checks) {
      const params = find(value);
      if (params !== undefined) this.#add(keyword, params, value, node);
    }
  }

  #addType(value: unknown, node: SchemaNode): void {
    this.#add('type', { type: node.checks.types?.join() }, value, node);
  }

  #add(
    keyword: string,
    params: Readonly<Record<string, unknown>>,
    value: unknown,
    { schema }: SchemaNode,
  ): void {
    if (this.#isTrial) {
      spend(TRIED_STEPS, 'schemas');
      this.#tally.made += 1;
      return;
    }
    spend(FAULT_STEPS + this.#way.length / 4, 'schemas');
    const isOld = this.unchangedValues?.has(this.#way) === true;
    if (!isOld && BLOCKING.has(keyword)) this.#tally.blocking += 1;
    const findings = this.#count(isOld);
    if (findings === undefined) return;
    const { missingProperty: member } = params;
    const way = typeof member === 'string' ? [...this.#way, member] : [...this.#way];
    const cause = (): Cause => getCause({ field: fieldPath(way), keyword, params, value, schema });
    findings.push({ key: String(findings.length), at: () => [way], cause });
  }

  /** Counts a violation. @returns the list that needs it; undefined when none does */
  #count(isOld: boolean): Finding[] | undefined {
    if (!isOld) this.#tally.made += 1;
    const findings = isOld ? this.old : this.made;
    return this.#isTrial || findings.length === CAUSES_MAX ? undefined : findings;
  }
}

function acceptsNumber(value: number, types: readonly string[] | undefined): boolean {
  return (
    types === undefined || types.includes('number') || (types.includes('integer') && Number.isInteger(value))
  );
}

function describeKeys({ keys }: SchemaNode): string {
  return keys === undefined ? '' : `, by its ${keys.join(' and ')}`;
}
