import { isLimited, type Action, type AccessRule } from './rules.js';

const ALL = '*';
/** Bounds the comparison of rules: users who may write roles may write long ones. */
const STEPS_MAX = 200_000;

/** The values of one part of a rule; undefined for every possible value. */
type Part = ReadonlySet<string> | undefined;

/** Verbs, groups, resources and names of a rule: it allows every combination of them. */
type Product = readonly Part[];

/**
 * Compares the actions that rules allow. The comparison ends after a number of steps; from then on nothing counts as covered. Owned
 * rules with a filter or with fields cover nothing: for another user, the same filter is about other objects.
 */
export class Comparison {
  readonly #owned: readonly AccessRule[];
  readonly #products: readonly Product[];
  #stepsLeft = STEPS_MAX;

  constructor(owned: readonly AccessRule[]) {
    this.#owned = owned.filter((rule) => !isLimited(rule));
    this.#products = this.#owned.map(getProduct);
  }

  /** An action that the wanted rules allow and the owned ones do not, with `*` for any; undefined without one. */
  firstNotGranted(wanted: readonly AccessRule[]): Action | undefined {
    for (const rule of wanted) {
      const action = this.#resourceBeyond(getProduct(rule)) ?? this.#pathBeyond(rule);
      if (action !== undefined) return action;
    }
    return undefined;
  }

  #resourceBeyond(wanted: Product): Action | undefined {
    if (wanted.some((part) => part?.size === 0)) return undefined;
    const found = this.#find(this.#products, wanted, 0);
    if (found === undefined) return undefined;
    const [verb, group, resource, name] = wanted.map((part, i) =>
      i < found.length ? found[i] : first(part),
    );
    return {
      verb: verb ?? ALL,
      group: group ?? ALL,
      resource: resource ?? ALL,
      ...(name !== undefined && { name }),
    };
  }

  #pathBeyond({ verbs, nonResourceURLs = [] }: AccessRule): Action | undefined {
    for (const path of nonResourceURLs)
      for (const verb of verbs) {
        const isOwned = this.#owned.some((rule) => this.#hasPath(rule, verb, path));
        if (!isOwned || this.#stepsLeft <= 0) return { verb, path };
      }
    return undefined;
  }

  /**
   * The first combination that none of the products has, as far as the search went. A single product must cover a whole
   * combination: `*` includes values that no finite list names.
   */
  #find(owned: readonly Product[], wanted: Product, at: number): readonly (string | undefined)[] | undefined {
    if (owned.length === 0) return [];
    if (at === wanted.length || owned.some((product) => this.#hasRest(product, wanted, at))) return undefined;
    for (const value of wanted[at] ?? [undefined]) {
      this.#stepsLeft -= owned.length;
      if (this.#stepsLeft <= 0) return [value];
      const left = owned.filter((product) => hasValue(product[at], value));
      const rest = this.#find(left, wanted, at + 1);
      if (rest !== undefined) return [value, ...rest];
    }
    return undefined;
  }

  /** True when a product has all wanted values from one part on. */
  #hasRest(product: Product, wanted: Product, from: number): boolean {
    return wanted.every((part, i) => {
      const own = product[i];
      if (i < from || own === undefined) return true;
      if (part === undefined || part.size > own.size) return false;
      this.#stepsLeft -= part.size;
      return [...part].every((value) => own.has(value));
    });
  }

  #hasPath({ verbs, nonResourceURLs = [] }: AccessRule, verb: string, path: string): boolean {
    this.#stepsLeft -= verbs.length + nonResourceURLs.length;
    if (!verbs.includes(ALL) && !verbs.includes(verb)) return false;
    return nonResourceURLs.some((url) => reaches(url, path));
  }
}

function getProduct({ verbs, apiGroups = [], resources = [], resourceNames = [] }: AccessRule): Product {
  // A name is never a pattern; a rule without names covers all names, and collections.
  const names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
  return [getPart(verbs), getPart(apiGroups), getPart(resources), names];
}

function getPart(values: readonly string[]): Part {
  return values.includes(ALL) ? undefined : new Set(values);
}

/** @param value undefined for any */
function hasValue(part: Part, value: string | undefined): boolean {
  return part === undefined || (value !== undefined && part.has(value));
}

function first(part: Part): string | undefined {
  const [value] = part ?? [];
  return value;
}

/** True when a path of a rule covers another one. */
function reaches(url: string, wanted: string): boolean {
  if (!url.endsWith(ALL)) return url === wanted;
  return (wanted.endsWith(ALL) ? wanted.slice(0, -1) : wanted).startsWith(url.slice(0, -1));
}
