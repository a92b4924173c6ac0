import type { Condition } from './condition.js';
import type { FacetField } from './facets.js';

/** How a list is asked for by plugins, the command line and HTTP alike. All parts apply together. */
export interface ListOptions {
  /** Requirements on labels: `k=v`, `k!=v`, `k`, `!k`, `k in (a,b)`, `k notin (a,b)`, comma separated. */
  readonly labelSelector?: string | readonly string[];
  /**
   * Requirements on indexed fields, comma separated: `f=v`, `f!=v`, `f in (a,b)`, `f notin (a,b)`, `f>v`, `f>=v`,
   * `f<v`, `f<=v`, `f` (has a value), `!f` (has none).
   */
  readonly fieldSelector?: string | readonly string[];
  /**
   * An expression of CEL over indexed fields and labels, like `spec.age >= 30 && !("retired" in spec.tags)`, for what
   * selectors cannot say. All of several must hold.
   */
  readonly filter?: string | readonly string[];
  /** A condition built with `Queries`, for what selectors cannot say. */
  readonly query?: Condition;
  /** `<field>[,asc|desc]`, most significant first. Without: `metadata.name` ascending. */
  readonly sort?: string | readonly string[];
  /** From 1. Default 1. */
  readonly page?: number;
  /** Objects on a page. 0, the default: all that match. */
  readonly size?: number;
  /**
   * At most so many objects; when there are more, the answer's `metadata.continue` says where to go on. Unlike
   * pages, this never skips or repeats an object because others came or went. Not together with page and size.
   */
  readonly limit?: number;
  /** The token of the answer before; selectors and sort must be the same. */
  readonly continue?: string;
  /**
   * Fields with an index, comma separated, whose values are counted among all matches, whatever part of them is asked
   * for; a label as `metadata.labels["key"]`. The counts are in the answer's `facets`.
   */
  readonly facets?: string | readonly string[];
  /** At most so many values of each of those, the most frequent ones. From 1 to 1000, default 20. */
  readonly facetLimit?: number;
}

/** Which objects, and in which order. */
export type MatchOptions = Omit<
  ListOptions,
  'page' | 'size' | 'limit' | 'continue' | 'facets' | 'facetLimit'
>;

export interface SortKey {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** A list request whose texts were read: fields exist, the sort is complete, numbers are in range. */
export interface ListRequest {
  readonly condition: Condition;
  /** What a token for the next part is good for: `now` in a filter differs from part to part. */
  readonly identity: { readonly condition: Condition; readonly filters: readonly string[] };
  /** Without the last tie-break by name, which always applies. */
  readonly sort: readonly SortKey[];
  readonly page: number;
  readonly size: number;
  /** Undefined when the list is paged by number. */
  readonly limit: number | undefined;
  readonly continue: string | undefined;
  readonly facets: readonly FacetField[];
  readonly facetLimit: number;
}

/** One page of a list and its place in the whole. */
export interface Page {
  readonly page: number;
  readonly size: number;
  /** Exact number of matching objects. */
  readonly total: number;
  readonly totalPages: number;
  readonly first: boolean;
  readonly last: boolean;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/** The page members that follow from number, size and total. Size 0 is one page with everything. */
export function pageOf(page: number, size: number, total: number): Page {
  const totalPages = size === 0 ? 1 : Math.ceil(total / size);
  return {
    page,
    size,
    total,
    totalPages,
    first: page === 1,
    last: page >= totalPages,
    hasNext: page < totalPages,
    hasPrevious: page > 1,
  };
}
