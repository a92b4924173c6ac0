import { currentAllowance } from '../../lib/work/allowance.js';
import type { Difference } from '../../lib/json/json-difference.js';
import type { Json, JsonObject } from '../object.js';
import { isJsonObject, mapSubschemas } from '../schema/schema-walk.js';
import { hasReferenceBelow, TRYING } from './count-steps.js';

/**
 * Judges an object together with the values that an update leaves, whose violations are warnings. When that takes too long, judges
 * the changes alone.
 * @param stored undefined for an object that replaces nothing
 */
export function judgeUpdate<T>(stored: object | undefined, judge: (isPartial: boolean) => T): T {
  const allowance = stored && currentAllowance();
  if (allowance === undefined) return judge(false);
  return allowance.tryWhole(() => judge(false)) ?? judge(true);
}

/** The keyword around the schemas of members and items. It is in compiled schemas only. */
export const CHANGED = 'x-xsvc-changed';

/** Keywords whose schemas may begin to apply to a value by a change beside it. */
const CONDITIONAL: ReadonlySet<string> = new Set([
  ...TRYING,
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
]);
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);
/** Keywords whose schemas are for the same value. */
const SAME_VALUE: ReadonlySet<string> = new Set([...DEFINITIONS, 'allOf']);

/** A copy of a schema that leaves out unchanged values, by the keyword {@link CHANGED}. */
export function withoutUnchanged(schema: JsonObject | boolean): JsonObject | boolean {
  if (!isJsonObject(schema)) return schema;
  const isShared = hasReferenceBelow(schema, CONDITIONAL);
  const wrap = (sub: Json): Json =>
    isJsonObject(sub)
      ? mapSubschemas(sub, (subschema, [keyword]) => {
          if (CONDITIONAL.has(keyword) || (isShared && DEFINITIONS.has(keyword))) return subschema;
          const copy = wrap(subschema);
          return SAME_VALUE.has(keyword) ? copy : { [CHANGED]: copy };
        })
      : sub;
  const copy = wrap(schema);
  return isJsonObject(copy) ? copy : schema;
}

/** The values of an object that change, by the object or list around them. */
export class ChangedValues {
  readonly #differences = new WeakMap<object, Difference>();

  constructor(object: unknown, difference: Difference) {
    this.#note(object, difference);
  }

  has(parent: object, step: string | number): boolean {
    const difference = this.#differences.get(parent) ?? 'whole';
    return difference === 'whole' || difference.has(step);
  }

  #note(value: unknown, difference: Difference): void {
    if (difference === 'whole' || typeof value !== 'object' || value === null) return;
    this.#differences.set(value, difference);
    for (const [step, member] of difference) this.#note(Reflect.get(value, step), member);
  }
}
