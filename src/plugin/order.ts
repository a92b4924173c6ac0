import { satisfies, type PluginManifest } from './manifest/manifest.js';

/** The parts of a plugin that determine the order. */
export interface Orderable {
  readonly name: string;
  readonly manifest: PluginManifest;
}

export interface PluginOrder<P extends Orderable> {
  /** Dependencies before their dependents, ties by name. Excludes plugins with a failure. */
  readonly order: readonly P[];
  /** Plugin name to the reason why it can never start among these plugins. */
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * Sorts plugins by the order of their starts. A plugin has a failure when a dependency is missing, has the wrong version, or
 * depends on the plugin itself. Its dependents have none: they wait for it.
 */
export function orderPlugins<P extends Orderable>(plugins: readonly P[]): PluginOrder<P> {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const failures = new Map<string, string>();
  for (const plugin of plugins) {
    const failure = dependencyFailure(plugin, byName) ?? cycleFailure(plugin.name, byName);
    if (failure !== undefined) failures.set(plugin.name, failure);
  }
  return { order: sorted(plugins.filter((plugin) => !failures.has(plugin.name))), failures };
}

export function getDependencies(plugin: Orderable): string[] {
  return Object.keys(plugin.manifest.spec.pluginDependencies);
}

function dependencyFailure(plugin: Orderable, byName: ReadonlyMap<string, Orderable>): string | undefined {
  const problems: string[] = [];
  for (const [name, range] of Object.entries(plugin.manifest.spec.pluginDependencies)) {
    const version = byName.get(name)?.manifest.spec.version;
    if (version === undefined) {
      problems.push(`depends on plugin "${name}", which is not installed`);
    } else if (!satisfies(version, range)) {
      problems.push(`depends on plugin "${name}" ${range}, but ${version} is installed`);
    }
  }
  return problems.length === 0 ? undefined : problems.join('; ');
}

function cycleFailure(name: string, byName: ReadonlyMap<string, Orderable>): string | undefined {
  const cycle = pathBack(name, byName);
  return cycle && `is part of a dependency cycle: ${cycle.join(' -> ')}`;
}

/** A shortest path from a plugin over its dependencies back to itself. */
function pathBack(start: string, byName: ReadonlyMap<string, Orderable>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  // The array grows during the loop: it is the queue of a breadth-first search.
  const queue = [start];
  for (const name of queue) {
    const plugin = byName.get(name);
    for (const next of plugin ? getDependencies(plugin).sort() : []) {
      if (next === start) return [...trail(name, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      queue.push(next);
    }
  }
  return undefined;
}

function trail(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const names = [end];
  for (let at = cameFrom.get(end); at !== undefined; at = cameFrom.get(at)) names.unshift(at);
  return names;
}

/** The input has no cycles. A dependency that is missing here has failed already, and blocks no plugin. */
function sorted<P extends Orderable>(plugins: readonly P[]): P[] {
  const waiting = new Map([...plugins].sort(byNameOrder).map((plugin) => [plugin.name, plugin]));
  const order: P[] = [];
  while (waiting.size > 0) {
    for (const plugin of waiting.values()) {
      if (getDependencies(plugin).some((name) => waiting.has(name))) continue;
      order.push(plugin);
      waiting.delete(plugin.name);
      // Starts from the beginning again: of all that are ready, the first name goes first.
      break;
    }
  }
  return order;
}

function byNameOrder(a: Orderable, b: Orderable): number {
  return a.name < b.name ? -1 : 1;
}
