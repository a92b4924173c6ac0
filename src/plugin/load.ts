import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ServiceError, getMessage } from '../errors.js';
import { BasePlugin } from './base-plugin.js';
import { BundleCache } from './bundle-cache.js';
import { HOST_MODULES_KEY, buildBundle, type Bundle, type BundleRequest } from './bundle.js';
import type { PluginContext } from './context.js';
import type { PluginSource } from './discover.js';
import { noteLoaded } from './loaded.js';

/** Modules that plugins import without installing them: name to the live namespace of the service's own module. */
export type HostModules = ReadonlyMap<string, object>;

export interface LoadOptions {
  /** Contains `xsvc`; for others, such as `express`, a copy in the plugin's own `node_modules` takes precedence. */
  readonly hostModules: HostModules;
  /** The directory for compiled text. It may be emptied at any time. */
  readonly cacheDirectory: string;
}

export interface LoadedPlugin {
  /** The exports of the main module. */
  readonly exports: object;
  /** Absolute paths of all source files. */
  readonly files: readonly string[];
}

/** A plugin's main class, with any type of configuration. */
export type PluginClass = new (ctx: PluginContext<never>) => BasePlugin;

/** Tried in this order when the manifest names no main module. */
export const DEFAULT_MAINS = ['index.ts', 'index.js', 'index.mjs', 'dist/index.js'] as const;

/**
 * Loads a plugin's main module. Each call evaluates it again.
 * @throws ServiceError `Invalid`: no main module, a syntax error or an import that does not resolve (with
 *   `<file>:<line>:<column>`), or an error of the module during evaluation
 */
export async function loadPlugin(source: PluginSource, options: LoadOptions): Promise<LoadedPlugin> {
  if (source.exports !== undefined) return { exports: source.exports, files: [] };
  const main = await findMain(source);
  const cache = new BundleCache(options.cacheDirectory);
  const request = {
    directory: source.directory,
    main,
    shims: shimsFor(source.directory, options.hostModules),
  };
  try {
    const bundle = (await cache.find(request)) ?? (await build(request, cache));
    noteLoaded(source);
    return { exports: await evaluate(bundle, main, cache, options.hostModules), files: bundle.files };
  } catch (error) {
    throw new ServiceError(
      'Invalid',
      `Cannot load the main module: ${getMessage(error)}`,
      {},
      { cause: error },
    );
  }
}

/**
 * The main class of a loaded plugin.
 * @throws ServiceError `Invalid` when it has no default export, or one that is not a class that extends BasePlugin
 */
export function pluginClass(exports: unknown): PluginClass {
  const value = defaultExport(exports);
  if (value === undefined) {
    throw new ServiceError(
      'Invalid',
      'The main module needs a default export: a class that extends BasePlugin',
    );
  }
  if (!isPluginClass(value)) {
    throw new ServiceError(
      'Invalid',
      'The default export of the main module is not a class that extends BasePlugin',
    );
  }
  return value;
}

/**
 * The default export of a module in any form: `export default`, `module.exports =`, or one compiled to the other. Undefined without
 * one.
 */
export function defaultExport(exports: unknown): unknown {
  if (typeof exports === 'function') return exports;
  if (!hasDefault(exports)) return undefined;
  return hasDefault(exports.default) ? exports.default.default : exports.default;
}

/**
 * The main module of a plugin, absolute.
 * @throws ServiceError `Invalid` without one, or with one outside the plugin's directory
 */
export async function findMain({ directory, manifest }: PluginSource): Promise<string> {
  const candidates = manifest.spec.main === undefined ? DEFAULT_MAINS : [manifest.spec.main];
  for (const candidate of candidates) {
    const file = path.resolve(directory, candidate);
    if (!isInside(file, directory)) {
      throw new ServiceError('Invalid', `spec.main "${candidate}" is outside the plugin's directory`);
    }
    if (await isFile(file)) return file;
  }
  throw new ServiceError(
    'Invalid',
    `No main module in ${directory}; expected one of ${candidates.join(', ')}`,
  );
}

async function build(request: BundleRequest, cache: BundleCache): Promise<Bundle> {
  const bundle = await buildBundle(request);
  await cache.store(request, bundle);
  return bundle;
}

/** `xsvc` is always the service's own module: a second copy would not know its registry. */
function shimsFor(directory: string, modules: HostModules): BundleRequest['shims'] {
  const own = (name: string) => name !== 'xsvc' && existsSync(path.join(directory, 'node_modules', name));
  const given = [...modules].filter(([name]) => !own(name));
  return new Map(given.map(([name, namespace]) => [name, exportNames(namespace)]));
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Node also lists CommonJS exports such as `module.exports`, which no import can name without quotes. */
function exportNames(namespace: object): string[] {
  return Object.keys(namespace).filter((name) => IDENTIFIER.test(name));
}

async function evaluate(
  bundle: Bundle,
  main: string,
  cache: BundleCache,
  modules: HostModules,
): Promise<object> {
  Reflect.set(globalThis, Symbol.for(HOST_MODULES_KEY), modules);
  process.setSourceMapsEnabled(true);
  const exports: unknown =
    bundle.format === 'cjs'
      ? runCommonJs(bundle.code, `${main}.cjs`)
      : await importText(bundle.code, main, cache);
  return typeof exports === 'function' || (typeof exports === 'object' && exports !== null) ? exports : {};
}

/** Evaluates CommonJS text. Unlike an imported module, it is released when the plugin is dropped. */
function runCommonJs(code: string, file: string): unknown {
  const module = new Module(file);
  if (!isCompilable(module)) throw new Error('This version of Node cannot compile a module from text');
  module.filename = file;
  module.paths = createRequire(file).resolve.paths('_') ?? [];
  module._compile(code, file);
  return module.exports;
}

/** Compiles text as if it was read from a file. Node's own loader uses this method; its types do not list it. */
interface CompilableModule extends Module {
  _compile(code: string, file: string): void;
}

function isCompilable(module: Module): module is CompilableModule {
  return '_compile' in module && typeof module._compile === 'function';
}

let imports = 0;

async function importText(code: string, main: string, cache: BundleCache): Promise<unknown> {
  const base = JSON.stringify(pathToFileURL(main).href);
  const file = await cache.fileFor(
    `import { createRequire as __createRequire } from 'node:module';const require = __createRequire(${base});${code}`,
  );
  // The number makes Node evaluate the module again, because it caches the module of the last start.
  return import(/* @vite-ignore */ `${pathToFileURL(file).href}?start=${imports++}`);
}

function hasDefault(value: unknown): value is { readonly default: unknown } {
  return typeof value === 'object' && value !== null && 'default' in value;
}

function isPluginClass(value: unknown): value is PluginClass {
  return typeof value === 'function' && value.prototype instanceof BasePlugin;
}

function isInside(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() ?? false;
}
