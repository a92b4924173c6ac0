import { modelKey, type Resource } from '../resource.js';

/** The same models, each after its targets where they do not refer to each other; otherwise in their order. */
export function targetsFirst<R extends Resource>(resources: readonly R[]): readonly R[] {
  const byKey = new Map(resources.map((resource) => [modelKey(resource), resource]));
  const ordered = new Set<R>();
  const open = new Set<R>();
  const visit = (resource: R): void => {
    if (open.has(resource)) return;
    open.add(resource);
    for (const reference of resource.references ?? []) {
      const target = byKey.get(modelKey(reference));
      if (target !== undefined) visit(target);
    }
    ordered.add(resource);
  };
  for (const resource of resources) visit(resource);
  return [...ordered];
}
