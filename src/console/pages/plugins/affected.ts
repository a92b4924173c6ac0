/** What is told of an installed plugin. */
interface Installed {
  readonly name: string;
  readonly needs: readonly string[];
  readonly models: readonly { readonly objects: number | undefined }[];
}

/** What is not served any more when a plugin stops. */
export interface Affected {
  /** Plugins that need it, directly or not, and stop with it. */
  readonly dependents: readonly string[];
  readonly models: number;
  readonly objects: number;
}

export function affectedBy(plugin: Installed, all: readonly Installed[]): Affected {
  const stopping = new Set([plugin.name]);
  let before = 0;
  while (stopping.size > before) {
    before = stopping.size;
    for (const { name, needs } of all) if (needs.some((one) => stopping.has(one))) stopping.add(name);
  }
  const running = all.filter(({ name, models }) => stopping.has(name) && models.length > 0);
  const models = running.flatMap((one) => one.models);
  return {
    dependents: running.map(({ name }) => name).filter((name) => name !== plugin.name),
    models: models.length,
    objects: models.reduce((sum, { objects = 0 }) => sum + objects, 0),
  };
}
