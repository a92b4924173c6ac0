import type { Cause } from '../../../errors.js';
import { fault } from './fault.js';
import { isSchema, propertyOf, type StructuralSchema } from './structural-schema.js';

/**
 * Causes for properties and items that `allOf`, `anyOf`, `oneOf` and `not` at the root restrict, although the
 * schema does not declare them. Kubernetes does not check those of inner schemas.
 */
export function checkDeclared(schema: StructuralSchema, path: string): readonly Cause[] {
  return getJunctors(schema).flatMap((junctor) => missing(junctor, schema, path));
}

function missing(junctor: StructuralSchema, schema: StructuralSchema, path: string): readonly Cause[] {
  const below = (
    sub: StructuralSchema,
    declared: StructuralSchema['items'],
    step: string,
  ): readonly Cause[] => {
    const field = `${path}.${step}`;
    if (isSchema(declared)) return missing(sub, declared, field);
    return [fault(field, 'Required', 'must be declared, because allOf, anyOf, oneOf or not restricts it')];
  };
  const { items, properties = {} } = junctor;
  return [
    ...getJunctors(junctor).flatMap((inner) => missing(inner, schema, path)),
    ...(isSchema(items) ? below(items, schema.items, 'items') : []),
    ...Object.entries(properties).flatMap(([name, sub]) =>
      below(sub, propertyOf(schema, name), `properties[${name}]`),
    ),
  ];
}

function getJunctors({ allOf = [], anyOf = [], oneOf = [], not }: StructuralSchema): StructuralSchema[] {
  return [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
}
