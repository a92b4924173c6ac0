import { readJson, send } from './http.js';
import type { Metadata } from './objects.js';

/** A column of a table, as Kubernetes has it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** More than 0: not among those that matter most. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly (string | number | boolean | null)[];
  readonly object: { readonly metadata: Metadata };
}

/** How many objects of a list have a value. */
export interface FacetValue {
  readonly value: string | number | boolean;
  readonly count: number;
}

/** By field, the most frequent first. */
export type Facets = Readonly<Record<string, readonly FacetValue[]>>;

/** A page of a list as rows. */
export interface Table {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    /** Of a list that is walked by cursor: how many come after this part. */
    readonly remainingItemCount?: number;
  };
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly page: number;
  readonly size: number;
  /** Of all pages, exact. */
  readonly total: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Where they were asked for. */
  readonly facets?: Facets;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** A page of a list. @throws ApiError, Unreachable */
export async function readTable(
  path: string,
  parameters: URLSearchParams,
  signal?: AbortSignal,
): Promise<Table> {
  const query = new URLSearchParams(parameters);
  // An age is wrong a moment later, and in English.
  query.set('dateCells', 'Time');
  const response = await send(`${path}?${query.toString()}`, { signal, headers: { Accept: TABLE } });
  return (await readJson(response)) as Table;
}
