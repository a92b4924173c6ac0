import { readTable, type Facets } from '../../../api/tables.js';

interface Counted {
  /** What chooses the objects, as in a URL. */
  readonly conditions: string;
  readonly fields: readonly string[];
  /** Most values of each field. */
  readonly limit: number;
}

/** How many of the objects of a list have which values, exact. @throws ApiError, Unreachable */
export async function readFacets(
  path: string,
  { conditions, fields, limit }: Counted,
  signal: AbortSignal,
): Promise<Facets> {
  const request = new URLSearchParams(conditions);
  request.set('facets', fields.join(','));
  request.set('facetLimit', String(limit));
  // What is counted is all of the list, however little of it is read.
  request.set('limit', '1');
  return (await readTable(path, request, signal)).facets ?? {};
}
