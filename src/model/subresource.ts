import type { Resource } from './resource.js';

/** Sub-resources that every model has. */
export const GENERATED_SUBRESOURCES = ['status', 'history'] as const;
export type GeneratedSubresource = (typeof GENERATED_SUBRESOURCES)[number];

/** In the place of a name in a path: all objects of the model. No object has this name. */
export const ALL_OBJECTS = '-';

/** True when every model has a sub-resource of this name. */
export function isGeneratedSubresource(name: string): name is GeneratedSubresource {
  return GENERATED_SUBRESOURCES.some((known) => known === name);
}

/** True for kinds that follow Kubernetes' rules, but namespaces: too much would go with all of them. */
export function hasDeletableCollections({
  origin,
  finalizedBy,
}: Pick<Resource, 'origin' | 'finalizedBy'>): boolean {
  return origin !== undefined && finalizedBy === undefined;
}
