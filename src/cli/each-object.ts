import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { ListOptions } from '../query/list-options.js';
import type { ListPage, Verbs } from '../service/verbs.js';

/** Objects that are read at once when a list is printed as a whole. */
export const PART_OBJECTS = 1000;

/** Which objects of a list, and in what order. */
export type WholeListOptions = Omit<ListOptions, 'page' | 'size' | 'continue'>;

/**
 * The objects of a list, in parts. Nothing of the store is held while they are printed, however slowly somebody reads
 * them: what others write in between may be among them or not, and no object is told twice.
 */
export async function* eachObject(
  verbs: Verbs,
  resource: Resource,
  options: WholeListOptions,
): AsyncGenerator<ExtensionObject> {
  const inParts = { ...options, limit: options.limit ?? PART_OBJECTS };
  yield* objectsFrom(verbs, resource, inParts, await verbs.list(resource, inParts));
}

/** The objects of a part and of all that follow it: each part says where the next one begins. Facets are of all of them. */
export async function* objectsFrom(
  verbs: Verbs,
  resource: Resource,
  { facets: _facets, facetLimit: _facetLimit, ...options }: ListOptions,
  first: ListPage,
): AsyncGenerator<ExtensionObject> {
  yield* first.items;
  let token = first.metadata.continue;
  while (token !== undefined) {
    const part = await verbs.list(resource, { ...options, continue: token });
    yield* part.items;
    token = part.metadata.continue;
  }
}
