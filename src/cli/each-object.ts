import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import { type ListOptions, NO_COUNTS } from '../query/list-options.js';
import type { ListPage, Verbs } from '../service/verbs.js';

/** The number of objects in each read when a list is printed as a whole. */
export const PART_OBJECTS = 1000;

/** The selection and the order of a list. */
export type WholeListOptions = Omit<ListOptions, 'page' | 'size' | 'continue'>;

/**
 * The objects of a list, in parts. Printing keeps nothing of the store open, at any speed. Objects that others write meanwhile may
 * be included or not; no object is returned twice.
 */
export async function* eachObject(
  verbs: Verbs,
  resource: Resource,
  options: WholeListOptions,
): AsyncGenerator<ExtensionObject> {
  const inParts = { ...options, limit: options.limit ?? PART_OBJECTS };
  yield* objectsFrom(verbs, resource, inParts, await verbs.list(resource, inParts));
}

/**
 * The objects of a part and of all later ones: each part states the start of the next. Facets and groups of the first
 * part cover all of them.
 */
export async function* objectsFrom(
  verbs: Verbs,
  resource: Resource,
  options: ListOptions,
  first: ListPage,
): AsyncGenerator<ExtensionObject> {
  yield* first.items;
  let token = first.metadata.continue;
  while (token !== undefined) {
    const part = await verbs.list(resource, { ...options, ...NO_COUNTS, continue: token });
    yield* part.items;
    token = part.metadata.continue;
  }
}
