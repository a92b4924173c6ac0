import type { Cause } from '../../errors.js';
import { valueOfData } from '../../cel/data.js';
import type { Type } from '../../cel/types.js';
import { OptionalValue, type Value } from '../../cel/values.js';
import { isRecord } from '../../lib/json/json.js';
import type { Path } from '../../lib/json/json-difference.js';
import { Allowance, currentAllowance } from '../../lib/work/allowance.js';
import { fieldPath } from '../validate/field-path.js';
import type { Finding } from '../validate/old-findings.js';
import { judge, type Rule } from './rule.js';
import type { Circumstances } from './source.js';

export interface PlaceOfData {
  readonly way: Path;
  readonly self: Type;
  readonly now: unknown;
  /** Undefined when the place had no value. */
  readonly old: unknown;
}

/** Evaluates rules for one object, with the allowance of the request, or one for upkeep. */
export class RuleAsker {
  readonly #allowance = currentAllowance() ?? new Allowance();

  constructor(
    private readonly circumstances: Circumstances,
    /** The paths that represent a whole object of a model; undefined for other data. */
    private readonly whole: readonly Path[] | undefined,
  ) {}

  /**
   * @param id identifies the rule in its schema
   * @returns undefined where the value keeps the rule, and where the rule does not apply
   */
  ask(rule: Rule, id: string, place: PlaceOfData): Finding | undefined {
    if (!this.#isAsked(rule, place)) return undefined;
    const verdict = judge(rule, () => this.#valuesFor(rule, place), this.#allowance);
    if (verdict === undefined) return undefined;
    const { message, isUnjudged } = verdict;
    const way = [...place.way];
    const at = (): readonly Path[] => this.#pathsOf(rule, way);
    if (isUnjudged && this.#isUnfit(at())) return undefined;
    const { reason = 'FieldValueInvalid' } = rule.declaration;
    const field = fieldPath([...way, ...rule.fieldPath]);
    const cause = (): Cause => ({ field, reason, message });
    return { key: `rule ${id} ${JSON.stringify(way)}`, at, cause, isUnjudged };
  }

  /** Rules that read an earlier value apply to changes, unless they declare otherwise. */
  #isAsked(rule: Rule, { way, old }: PlaceOfData): boolean {
    const { readsOld, declaration } = rule;
    if (!readsOld) return this.circumstances.hasChanged?.(this.#pathsOf(rule, way)) !== false;
    if (this.circumstances.isStored) return false;
    return declaration.optionalOldSelf === true || (old !== undefined && old !== null);
  }

  #valuesFor({ readsOld, declaration }: Rule, { way, self, now, old }: PlaceOfData): readonly Value[] {
    const value = valueOfData(this.#seen(now, way), self);
    if (!readsOld) return [value];
    const isAbsent = old === undefined || old === null;
    if (declaration.optionalOldSelf !== true) return [value, valueOfData(this.#seen(old, way), self)];
    const before = isAbsent ? OptionalValue.NONE : new OptionalValue(valueOfData(this.#seen(old, way), self));
    return [value, before];
  }

  /**
   * Rules read only the name of an object's metadata. A name that is not generated yet is represented by its prefix.
   */
  #seen(value: unknown, way: Path): unknown {
    if (this.whole === undefined || way.length > 0 || !isRecord(value)) return value;
    const { metadata } = value;
    const { name, generateName }: Readonly<Record<string, unknown>> = isRecord(metadata) ? metadata : {};
    return { ...value, metadata: { name: name ?? generateName, generateName } };
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

function overlap(a: Path, b: Path): boolean {
  return a.slice(0, b.length).every((step, i) => step === b[i]);
}
