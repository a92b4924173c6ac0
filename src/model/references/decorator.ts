import { badRequest } from '../../errors.js';
import { findGvk } from '../declare/gvk.js';
import type { ModelClass } from '../declare/model-class.js';
import type { Json, JsonObject } from '../object.js';
import type { DeletePolicy, ModelKind } from './reference.js';
import {
  declareField,
  fieldName,
  type Ctor,
  type DecoratorContextLike,
  findMap,
  ownMap,
} from '../declare/schema-decorator.js';

export interface ReferenceOptions {
  /**
   * A model. `() => Model` for a class that is defined later, and for the class itself; group and kind when no class
   * is available.
   */
  readonly to: ModelClass | (() => ModelClass) | ModelKind;
  /** The effect of deleting a target on the objects that refer to it. Default: the deletion is refused. */
  readonly onDelete?: DeletePolicy;
}

/** The allowed types of a field with references. */
type ReferenceField = string | readonly string[] | null | undefined;

const REFERENCES = Symbol.for('xsvc.schema.references');

/**
 * Declares that the values of a field are names of objects of a model. The field is a text, or by its `@Schema` a
 * list of texts. The names are checked on write, and the field has an index whose name is its path.
 * @throws ServiceError `BadRequest` on static, private or symbol-named fields
 */
export function Reference(
  options: ReferenceOptions,
): <This, V extends ReferenceField>(target: undefined, context: ClassFieldDecoratorContext<This, V>) => void {
  return (_target: unknown, context: DecoratorContextLike) => {
    const name = fieldName('@Reference', context);
    declareField(context, name, { type: 'string' });
    ownMap<ReferenceOptions>(context, REFERENCES).set(name, options);
  };
}

/** The keyword for a field of a class; undefined without `@Reference`. @param where the place, for messages */
export function referenceKeyword(type: Ctor, field: string, where: string): JsonObject | undefined {
  const options = findMap<Partial<ReferenceOptions>>(type, REFERENCES).get(field);
  if (options === undefined) return undefined;
  const { to, onDelete = 'restrict' } = options;
  return { ...getTarget(to, where), onDelete };
}

function getTarget(to: unknown, where: string): { group: Json; kind: Json } {
  if (typeof to === 'function')
    return targetOfClass(Object.hasOwn(to, 'prototype') ? to : (to as () => unknown)(), where);
  if (typeof to === 'object' && to !== null && 'group' in to && 'kind' in to)
    return { group: to.group as Json, kind: to.kind as Json };
  throw badRequest(
    `${where}: @Reference needs a model as \`to\`, got ${String(to)}; use () => Model for a class that is declared later`,
  );
}

function targetOfClass(model: unknown, where: string): { group: string; kind: string } {
  const gvk = typeof model === 'function' ? findGvk(model as ModelClass) : undefined;
  if (gvk !== undefined) return { group: gvk.group, kind: gvk.kind };
  const name = typeof model === 'function' ? `class ${model.name}` : String(model);
  throw badRequest(`${where}: @Reference must refer to a model, but ${name} has no own @GVK`);
}
