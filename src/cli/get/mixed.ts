import { qualifiedPlural, type Resource } from '../../model/resource.js';

/** The head of a list of objects of several models. */
export const MIXED_LIST = { apiVersion: 'v1', kind: 'List', metadata: {} };

/**
 * The resources before names in tables, as in `persons/ada`, with the group where two have the same plural. Empty for one resource:
 * its names stand alone.
 */
export function qualifiers(resources: readonly Resource[]): ReadonlyMap<Resource, string> {
  if (resources.length < 2) return new Map();
  return new Map(
    resources.map((resource) => {
      const isShared = resources.some((other) => other !== resource && other.plural === resource.plural);
      return [resource, isShared ? qualifiedPlural(resource) : resource.plural];
    }),
  );
}
