import type { JsonObject } from '../model/object.js';
import { schemaOfType } from '../model/schema/schema-of.js';
import { isJsonObject } from '../model/schema/schema-walk.js';
import type { ModelClass } from '../model/declare/model-class.js';
import { PAGE_MAX } from '../query/list-request.js';
import { SORTABLE_REQUEST } from './sortable-request.js';
import type { ParameterDescription } from './route.js';

const TEXTS: JsonObject = { type: 'array', items: { type: 'string' } };

const LIST_PARAMETERS: readonly ParameterDescription[] = [
  parameter('page', 'Number of the page, from 1.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: 1,
  }),
  parameter('size', 'Items per page; 0: all.', {
    type: 'integer',
    minimum: 0,
    maximum: PAGE_MAX,
    default: 0,
  }),
  parameter('sort', 'Field to sort by, as `<field>[,asc|desc]`; the most significant first.', TEXTS),
  parameter('labelSelector', 'Requirements on labels, separated by commas.', TEXTS),
  parameter('fieldSelector', 'Requirements on indexed fields, separated by commas.', TEXTS),
  parameter('filter', 'Expression over indexed fields and labels; when repeated, all must be true.', TEXTS),
];

function parameter(name: string, description: string, schema: JsonObject): ParameterDescription {
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
