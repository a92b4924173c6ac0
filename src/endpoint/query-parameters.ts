import type { JsonObject } from '../model/object.js';
import { schemaOfType } from '../model/schema/schema-of.js';
import { isJsonObject } from '../model/schema/schema-walk.js';
import type { ModelClass } from '../model/declare/model-class.js';
import { getListParameter, type ListParameter } from '../query/list-parameters.js';
import { SORTABLE_PARAMETERS, SORTABLE_REQUEST } from './sortable-request.js';
import type { ParameterDescription } from './route.js';

const LIST_PARAMETERS = SORTABLE_PARAMETERS.map((name) => listParameter(getListParameter(name)));

function listParameter({ name, type, description, min = 0, max }: ListParameter): ParameterDescription {
  const schema: JsonObject =
    type === 'integer'
      ? { type, minimum: min, maximum: max, default: min }
      : { type: 'array', items: { type: 'string' } };
  return { name, in: 'query', description, schema };
}

/**
 * Descriptions of the query parameters for the fields of a class. Those of a subclass of
 * `SortableRequest` begin with the parameters of `SortableRequest`.
 * @throws ServiceError `BadRequest` when the class cannot be described
 */
export function getQueryParameters(type: ModelClass): ParameterDescription[] {
  const { properties, required } = schemaOfType(type);
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const own = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) =>
    fieldParameter(name, isJsonObject(schema) ? schema : {}, names.includes(name)),
  );
  const base = SORTABLE_REQUEST in type ? LIST_PARAMETERS : [];
  return [...base.filter(({ name }) => own.every((one) => one.name !== name)), ...own];
}

function fieldParameter(name: string, schema: JsonObject, required: boolean): ParameterDescription {
  const { description, example, ...rest } = schema;
  return {
    name,
    in: 'query',
    ...(typeof description === 'string' ? { description } : {}),
    required,
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}
