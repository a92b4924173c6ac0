import type { Resource } from './resource.js';
import { isJsonObject } from './schema/schema-walk.js';

/**
 * The member of answers with the objects that references name. Bodies may repeat it, and it is never stored, unless the model
 * declares a field of that name.
 */
export const INCLUDED = 'included';

type WithSchema = Pick<Resource, 'schema'>;

/** True when a model declares a field {@link INCLUDED}. */
export function hasOwnIncluded({ schema: { properties } }: WithSchema): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, INCLUDED);
}

/** The body without what an answer adds to an object. */
export function withoutIncluded<Value>(
  resource: WithSchema,
  body: Record<string, Value>,
): Record<string, Value> {
  if (!Object.hasOwn(body, INCLUDED) || hasOwnIncluded(resource)) return body;
  const { [INCLUDED]: _included, ...rest } = body;
  return rest;
}
