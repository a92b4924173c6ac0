import type { Cause } from '../../../errors.js';
import { faultOfRe2 } from '../../../lib/linear-reg-exp.js';
import { fault, type FaultReason } from './fault.js';
import type { SchemaPlace } from './schema-places.js';
import {
  DECLARING,
  isGiven,
  itemOf,
  JUNCTOR,
  UNSUPPORTED,
  USAGE,
  WHOLE,
  WITH_STATUS,
  type SchemaRule,
} from './schema-rules.js';
import { propertyOf } from './structural-schema.js';

/** Rules by their keyword. Most schemas have few keywords. */
class RuleSet {
  readonly #byKeyword = new Map<string, SchemaRule[]>();

  constructor(...tables: readonly (readonly SchemaRule[])[]) {
    for (const rule of tables.flat())
      this.#byKeyword.set(rule.on ?? '', [...(this.#byKeyword.get(rule.on ?? '') ?? []), rule]);
  }

  check(place: SchemaPlace, causes: Cause[]): void {
    this.#check('', place, causes);
    for (const keyword in place.schema) this.#check(keyword, place, causes);
  }

  #check(keyword: string, place: SchemaPlace, causes: Cause[]): void {
    const { schema, around } = place;
    for (const { at = keyword, reason, message, isBroken } of this.#byKeyword.get(keyword) ?? [])
      if (isBroken?.(schema, around) ?? isGiven(schema[keyword]))
        causes.push(causeAt(place, at, reason, message));
  }
}

const JUNCTORS = new RuleSet(UNSUPPORTED, JUNCTOR);
const DECLARATIONS = new RuleSet(UNSUPPORTED, DECLARING);
const WHOLES = new RuleSet(UNSUPPORTED, DECLARING, WHOLE);
const USAGES = new RuleSet(USAGE);
const WHOLES_WITH_STATUS = new RuleSet(USAGE, WITH_STATUS);

export function structureFaults(places: readonly SchemaPlace[]): readonly Cause[] {
  const causes: Cause[] = [];
  const patterns = new Map<string, string | undefined>();
  for (const place of places) {
    const { isJunctor, isRoot } = place.around;
    (isJunctor ? JUNCTORS : isRoot ? WHOLES : DECLARATIONS).check(place, causes);
    const { pattern = '' } = place.schema;
    if (pattern !== '' && !patterns.has(pattern)) patterns.set(pattern, faultOfRe2(pattern));
    const wrong = patterns.get(pattern);
    if (wrong !== undefined)
      causes.push(causeAt(place, 'pattern', 'Invalid', `must be a regular expression of RE2: ${wrong}`));
  }
  return causes;
}

export function usageFaults(places: readonly SchemaPlace[], hasStatus: boolean): readonly Cause[] {
  const causes: Cause[] = [];
  for (const place of places) {
    (place.around.isRoot && hasStatus ? WHOLES_WITH_STATUS : USAGES).check(place, causes);
    checkKeys(place, causes);
  }
  return causes;
}

/** Items of a list are found by their keys, so each item needs a value for each key. */
function checkKeys(place: SchemaPlace, causes: Cause[]): void {
  const item = itemOf(place.schema, 'map');
  if (item === undefined) return;
  for (const name of place.schema['x-kubernetes-list-map-keys'] ?? []) {
    const key = propertyOf(item, name);
    if (key === undefined) continue;
    const add = (at: string, reason: FaultReason, message: string): number =>
      causes.push(causeAt(place, `items.properties[${name}].${at}`, reason, message));
    if (key.type === 'array' || key.type === 'object')
      add('type', 'Invalid', 'must be a scalar type, as a key of a list');
    if (key.default === undefined && item.required?.includes(name) !== true)
      add('default', 'Required', 'must be set, or the key must be required');
    if (key.nullable === true) add('nullable', 'Forbidden', 'must not be true for a key of a list');
  }
}

function causeAt({ path }: SchemaPlace, at: string, reason: FaultReason, message: string): Cause {
  return fault(at === '' ? path : `${path}.${at}`, reason, message);
}
