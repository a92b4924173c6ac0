import { arrayAt, isObject, objectAt, type JsonObject } from '../../lib/json.js';
import { resolved } from '../../lib/schema.js';

const UNIONS = ['oneOf', 'anyOf'] as const;

/** A schema with the parts of its `allOf`, and without a union of one branch and null. */
export function composed(schema: JsonObject, root: JsonObject): JsonObject {
  const { allOf: _allOf, ...own } = schema;
  const parts = arrayAt(schema, 'allOf').filter(isObject);
  const whole = parts.reduce<JsonObject>((before, part) => merged(before, resolved(part, root)), own);
  for (const word of UNIONS) {
    const branches = arrayAt(whole, word).filter(isObject);
    const real = branches.filter(({ type }) => type !== 'null');
    const [only] = real;
    if (only === undefined || real.length !== 1) continue;
    const { [word]: _union, ...rest } = whole;
    return merged(rest, resolved(only, root));
  }
  return whole;
}

/** Both schemas at once, as far as a form needs it. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...objectAt(one, 'properties'), ...objectAt(other, 'properties') };
  const required = [...arrayAt(one, 'required'), ...arrayAt(other, 'required')];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/**
 * The branches of a union, each with what they have in common; undefined without a union. Members that only other branches require are
 * not in a branch.
 */
export function getVariants(schema: JsonObject, root: JsonObject): readonly JsonObject[] | undefined {
  const word = UNIONS.find((one) => arrayAt(schema, one).filter(isObject).length > 1);
  if (word === undefined) return undefined;
  const { [word]: _union, ...common } = schema;
  const branches = arrayAt(schema, word)
    .filter(isObject)
    .map((one) => resolved(one, root));
  const isBare = branches.every((one) => !('type' in one) && !('properties' in one) && !('required' in one));
  // Such branches limit values without another shape: the service checks them.
  if (isBare && 'type' in common) return undefined;
  return branches.map((branch) => {
    const own = arrayAt(branch, 'required');
    const foreign = branches.flatMap((one) => (one === branch ? [] : arrayAt(one, 'required')));
    const left = Object.entries(objectAt(common, 'properties')).filter(
      ([name]) => own.includes(name) || !foreign.includes(name) || arrayAt(common, 'required').includes(name),
    );
    const { title: _title, description: _description, ...rest } = common;
    return merged(branch, {
      ...rest,
      ...('properties' in common && { properties: Object.fromEntries(left) }),
    });
  });
}
