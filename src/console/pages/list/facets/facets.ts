import { readTable, type Facets } from '../../../api/tables.js';

interface Counted {
  /** The selection of objects, as in a URL. */
  readonly conditions: string;
  readonly fields: readonly string[];
  /** The limit of values for each field. */
  readonly limit: number;
}

/** The values of a list's objects with their exact numbers. @throws ApiError, Unreachable */
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
