/** What every object of a model has below its path. */
export const GENERATED_SUBRESOURCES = ['status', 'history'] as const;
export type GeneratedSubresource = (typeof GENERATED_SUBRESOURCES)[number];

/** Whether every model answers at a sub-resource of this name by itself. */
export function isGeneratedSubresource(name: string): name is GeneratedSubresource {
  return GENERATED_SUBRESOURCES.some((known) => known === name);
}
