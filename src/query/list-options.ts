import type { Grouping } from './counts/aggregates.js';
import type { Condition } from './condition.js';
import type { ReferencePath } from './expand.js';
import type { FacetField } from './counts/facets.js';
import type { ListParameterName } from './list-parameters.js';
import type { SearchText } from './search/search-text.js';

/** The parameters of a list, for plugins, the command line and HTTP alike. All parts apply together. */
export interface ListOptions {
  /** Only objects of this namespace, of a namespaced model. Default: of all namespaces. */
  readonly namespace?: string;
  /** Requirements on labels: `k=v`, `k!=v`, `k`, `!k`, `k in (a,b)`, `k notin (a,b)`, comma separated. */
  readonly labelSelector?: string | readonly string[];
  /**
   * Requirements on indexed fields, comma separated: `f=v`, `f!=v`, `f in (a,b)`, `f notin (a,b)`, `f>v`, `f>=v`,
   * `f<v`, `f<=v`, `f` (has a value), `!f` (has none).
   */
  readonly fieldSelector?: string | readonly string[];
  /**
   * A CEL expression over indexed fields and labels, like `spec.age >= 30 && !("retired" in spec.tags)`, for
   * conditions that selectors cannot express. With several, all must hold.
   */
  readonly filter?: string | readonly string[];
  /** A condition built with `Queries`, for conditions that selectors cannot express. */
  readonly query?: Condition;
  /**
   * Words that the texts of an object have, for models with a text index (`IndexSpecs.text`): `word`, `"two words"` side by
   * side, `-word` and `-"two words"` for none. All must hold. The last word may be the beginning of a word, unless white
   * space or a quote follows. Case and diacritics do not count. Empty: no search.
   */
  readonly search?: string;
  /** `<field>[,asc|desc]`, most significant first. Without: by relevance with `search`, else `metadata.name` ascending. */
  readonly sort?: string | readonly string[];
  /** From 1. Default 1. */
  readonly page?: number;
  /** Objects on a page. 0, the default: all matches on one page. */
  readonly size?: number;
  /**
   * Most objects in the answer; when more match, the answer's `metadata.continue` is the token of the next part.
   * Unlike pages, this never skips or repeats an object when others are created or deleted. Cannot be combined with
   * page and size.
   */
  readonly limit?: number;
  /** The token of the previous answer; selectors and sort must be the same. */
  readonly continue?: string;
  /**
   * Fields with an index, comma separated, whose values are counted among all matches, independent of the requested
   * part; a label is `metadata.labels["key"]`. The counts are in the answer's `facets`.
   */
  readonly facets?: string | readonly string[];
  /** Most values that are returned for each of those fields, the most frequent ones. From 1 to 1000, default 20. */
  readonly facetLimit?: number;
  /**
   * References to follow, comma separated: `spec.service`, or `spec.service->spec.team` for those of a target, at most
   * three steps. The objects that they name are in the answer's `included`.
   */
  readonly expand?: string | readonly string[];
  /**
   * Functions of all matches, comma separated, independent of the requested part: `count`, `sum(<field>)`,
   * `avg(<field>)`, `min(<field>)`, `max(<field>)`. The results are in the answer's `groups`.
   */
  readonly aggregates?: string | readonly string[];
  /** With `aggregates`: up to 3 fields with an index, comma separated; each combination of their values is a group. */
  readonly groupBy?: string | readonly string[];
  /** Most groups that are returned, those with the most objects. From 1 to 10,000, default 100. */
  readonly groupLimit?: number;
}

/** The options of a read of one object. */
export type GetOptions = Pick<ListOptions, 'expand'>;

/** Options that request objects alone. */
export const NO_COUNTS = {
  facets: [],
  aggregates: [],
  groupBy: [],
  expand: [],
} as const satisfies ListOptions;

/** The options that select and order objects, by their fields. */
export type MatchOptions = Omit<
  ListOptions,
  | 'search'
  | 'page'
  | 'size'
  | 'limit'
  | 'continue'
  | 'facets'
  | 'facetLimit'
  | 'aggregates'
  | 'groupBy'
  | 'groupLimit'
  | 'expand'
>;

export type MutableListOptions = { -readonly [Name in keyof ListOptions]: ListOptions[Name] };

/** The members of an object that are parameters in a part of the table. */
export function pickOptions<Name extends ListParameterName>(
  from: { readonly [One in Name]?: ListOptions[One] | undefined },
  parameters: readonly { readonly name: Name }[],
): { readonly [One in Name]?: ListOptions[One] } {
  const picked: { -readonly [One in Name]?: ListOptions[One] } = {};
  for (const { name } of parameters) {
    const value = from[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

export interface SortKey {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** A parsed list request: fields exist, the sort is complete, numbers are in range. */
export interface ListRequest {
  readonly condition: Condition;
  /**
   * The identity of the list for continue tokens. It has the filters' texts, because `now` in a filter differs from
   * part to part.
   */
  readonly identity: { readonly condition: Condition; readonly filters: readonly string[] };
  /** Undefined without words. */
  readonly search: SearchText | undefined;
  /** Without the final tie-break by name, which always applies. Empty with a search: by relevance. */
  readonly sort: readonly SortKey[];
  readonly page: number;
  readonly size: number;
  /** Undefined when the list has numbered pages. */
  readonly limit: number | undefined;
  readonly continue: string | undefined;
  readonly facets: readonly FacetField[];
  readonly facetLimit: number;
  /** Undefined when no references are to be followed. */
  readonly expand: readonly ReferencePath[] | undefined;
  /** Undefined when no aggregates are requested. */
  readonly grouping: Grouping | undefined;
}

/** One page of a list and its position in the whole list. */
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

/** Derives the page from number, size and total. Size 0 is one page with all matches. */
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
