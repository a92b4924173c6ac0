import type { Model } from '../../../api/models.js';
import { readTable, type Facets } from '../../../api/tables.js';
import { arrayAt } from '../../../lib/json.js';
import { schemaAt } from '../../../lib/schema.js';
import { getIndexes } from '../fields.js';

interface Counted {
  /** The selection of objects, as in a URL. */
  readonly conditions: string;
  readonly fields: readonly string[];
  /** The limit of values for each field. */
  readonly limit: number;
}

/** The values of a list's objects with their exact numbers. */
export async function readFacets(
  path: string,
  { conditions, fields, limit }: Counted,
  signal: AbortSignal,
): Promise<Facets> {
  const request = new URLSearchParams(conditions);
  request.set('facets', fields.join(','));
  request.set('facetLimit', String(limit));
  // The whole list is counted, although little of it is read.
  request.set('limit', '1');
  return (await readTable(path, request, signal)).facets ?? {};
}

const USUAL_MAX = 4;

/** The default facets: fields with few values, as far as the schema states it. */
export function getUsualFacets(model: Model | undefined): string {
  const own = getIndexes(model).filter(({ name, unique }) => !unique && !name.startsWith('metadata.'));
  const isEnum = (name: string): boolean => arrayAt(schemaAt(model?.schema ?? {}, name), 'enum').length > 0;
  const few = own.filter(({ name, keyType, multi }) => multi || keyType === 'boolean' || isEnum(name));
  const usual = few.length > 0 ? few : own;
  return usual
    .slice(0, USUAL_MAX)
    .map(({ name }) => name)
    .join(',');
}
