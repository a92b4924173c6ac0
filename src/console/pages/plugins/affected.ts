/** An installed plugin from the API. */
interface Installed<M> {
  readonly name: string;
  readonly needs: readonly string[];
  readonly models: readonly M[];
}

/** Models and objects that are no longer served when a plugin stops. */
interface Affected<M> {
  /** Plugins that require it, directly or not, and stop with it. */
  readonly dependents: readonly string[];
  readonly models: readonly M[];
}

export function affectedBy<M>(plugin: Installed<M>, all: readonly Installed<M>[]): Affected<M> {
  const stopping = new Set([plugin.name]);
  let before = 0;
  while (stopping.size > before) {
    before = stopping.size;
    for (const { name, needs } of all) if (needs.some((one) => stopping.has(one))) stopping.add(name);
  }
  const running = all.filter(({ name, models }) => stopping.has(name) && models.length > 0);
  return {
    dependents: running.map(({ name }) => name).filter((name) => name !== plugin.name),
    models: running.flatMap((one) => one.models),
  };
}
