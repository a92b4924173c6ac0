import type { Model } from '../../../api/models.js';
import { arrayAt, type JsonObject } from '../../../lib/json.js';
import { schemaAt } from '../../../lib/schema.js';
import { getIndexes } from '../fields.js';

/** The default facets: fields with few values, as far as the schema states it. */
export function usualFacets(model: Model | undefined): string {
  const own = getIndexes(model).filter(({ name, unique }) => !unique && !name.startsWith('metadata.'));
  const few = own.filter(
    ({ name, keyType, multi }) => multi || keyType === 'boolean' || isEnum(model?.schema, name),
  );
  const usual = few.length > 0 ? few : own;
  return usual
    .slice(0, USUAL_MAX)
    .map(({ name }) => name)
    .join(',');
}

const USUAL_MAX = 4;

function isEnum(schema: JsonObject | undefined, field: string): boolean {
  return schema !== undefined && arrayAt(schemaAt(schema, field), 'enum').length > 0;
}
