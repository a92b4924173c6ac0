import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectories } from '../lib/make-directories.js';
import type { DeclareIndexes } from '../model/declare/scheme-builder.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { ModelOptions } from '../model/evolve/versions.js';
import { BasePlugin } from '../plugin/base-plugin.js';
import type { PluginSource } from '../plugin/discover.js';
import type { PluginClass } from '../plugin/load.js';
import { MANIFEST_API_VERSION, MANIFEST_KIND, isPluginName } from '../plugin/manifest/manifest.js';

/** The main module of a plugin, imported by the test: `import * as note from '../index.js'`. */
export interface PluginModule {
  /** The main class. */
  readonly default: PluginClass;
}

/**
 * A plugin for a test: its directory, its main module, or its main class. A directory is loaded as in the service, with its
 * manifest and its declared objects; relative ones start from the working directory.
 */
export type TestPlugin = string | URL | PluginModule | PluginClass;

/** A model for a test, or the arguments of `register`: with its indexes, its other versions and its migrations. */
export type TestModel =
  | ModelClass
  | readonly [model: ModelClass, declareIndexes?: DeclareIndexes | undefined, options?: ModelOptions];

export interface GivenPlugins {
  readonly directories: readonly string[];
  readonly sources: readonly PluginSource[];
}

/** The plugin that registers the models of a test. */
const MODELS_PLUGIN = 'test-models';

/**
 * Sorts the plugins of a test.
 * @param emptyDirectory the directory for plugins without one; it is created
 */
export async function givenPlugins(
  plugins: readonly TestPlugin[],
  models: readonly TestModel[],
  emptyDirectory: string,
): Promise<GivenPlugins> {
  await makeDirectories(emptyDirectory);
  const source = (name: string, exports: PluginModule): PluginSource => ({
    name,
    directory: path.join(emptyDirectory, name),
    manifest: {
      apiVersion: MANIFEST_API_VERSION,
      kind: MANIFEST_KIND,
      metadata: { name },
      spec: { version: '0.0.0', enabled: true, pluginDependencies: {} },
    },
    exports,
  });
  const sources = plugins.flatMap((plugin) => {
    if (isDirectory(plugin)) return [];
    const module = typeof plugin === 'function' ? { default: plugin } : plugin;
    return [source(pluginName(module.default), module)];
  });
  if (models.length > 0) sources.push(source(MODELS_PLUGIN, { default: getPlugin(models) }));
  return { directories: plugins.filter(isDirectory).map(getDirectory), sources };
}

function isDirectory(plugin: TestPlugin): plugin is string | URL {
  return typeof plugin === 'string' || plugin instanceof URL;
}

function getDirectory(directory: string | URL): string {
  return typeof directory === 'string' ? path.resolve(directory) : fileURLToPath(directory);
}

/** `MyNotesPlugin` becomes `my-notes`. */
function pluginName({ name }: PluginClass): string {
  const words = name.replace(/Plugin$/, '').replace(/([a-z\d])([A-Z])/g, '$1-$2');
  const plain = words.toLowerCase().replace(/[^a-z\d-]/g, '');
  return isPluginName(plain) ? plain : 'test-plugin';
}

/** Registers models whose functions have unknown parameters. */
interface AnyRegistrations {
  register(model: ModelClass, declareIndexes?: DeclareIndexes, options?: ModelOptions): void;
}

function getPlugin(models: readonly TestModel[]): PluginClass {
  return class extends BasePlugin {
    override start(): void {
      const manager: AnyRegistrations = this.ctx.schemeManager;
      for (const given of models) {
        const [model, declareIndexes, options] = typeof given === 'function' ? [given] : given;
        manager.register(model, declareIndexes, options);
      }
    }
  };
}
