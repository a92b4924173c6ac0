import type {
  BuildFailure,
  BuildOptions,
  BuildResult,
  Loader,
  Message,
  Plugin as EsbuildPlugin,
} from 'esbuild';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The input of a compilation. */
export interface BundleRequest {
  /** The plugin's directory, absolute. */
  readonly directory: string;
  /** The main module, absolute. */
  readonly main: string;
  /** Modules that the service provides: name to the names of their exports. */
  readonly shims: ReadonlyMap<string, readonly string[]>;
}

/** A plugin as one text. */
export interface Bundle {
  /** `esm` only when the plugin uses top-level await, which CommonJS does not have. */
  readonly format: 'cjs' | 'esm';
  readonly code: string;
  /** Absolute paths of the files that went into it. */
  readonly files: readonly string[];
}

/** The global under which compiled text finds the modules of the service. */
export const HOST_MODULES_KEY = 'xsvc.plugin.hostModules';

const HOST_NAMESPACE = 'host';
const HOST_REQUIRE_NAMESPACE = 'host-require';

/** The plugin's own tsconfig is ignored: it is for its editor, and must not change the meaning of a decorator. */
const TSCONFIG = {
  compilerOptions: { target: 'ES2022', useDefineForClassFields: true, experimentalDecorators: false },
} as const;

/** The oldest supported version of Node.js. */
const TARGET = 'node20.19';

type Esbuild = typeof import('esbuild');

/** The compiler after its first use: importing it takes as long as the rest of a start. */
let compiler: Promise<Esbuild> | undefined;
let builds = 0;

/**
 * Compiles a plugin and its imports into one text. Thus it needs no build step and no package.json, and uses the service's own
 * modules from any directory.
 * @throws Error with one line for each error, as `<file>:<line>:<column>: <message>`
 */
export async function buildBundle(request: BundleRequest): Promise<Bundle> {
  compiler ??= import('esbuild');
  builds++;
  try {
    return await buildEither(request, await compiler);
  } catch (error) {
    throw isBuildFailure(error) ? readable(error, request) : error;
  } finally {
    builds--;
  }
}

/** A module without its types and decorators, and the source map of its text. */
export interface CompiledModule {
  readonly code: string;
  readonly map: string;
}

/**
 * Compiles one module with the settings of plugins; its imports stay.
 * @throws Error with one line for each error
 */
export async function compileModule(text: string, file: string): Promise<CompiledModule> {
  const { transform } = await (compiler ??= import('esbuild'));
  const { code, map } = await transform(text, {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    target: TARGET,
    sourcefile: file,
    sourcemap: 'external',
    keepNames: true,
    tsconfigRaw: TSCONFIG,
  });
  return { code, map };
}

/** Ends the compiler's process, unless a build is running. Called when all plugins are loaded; a later build starts it again. */
export async function stopCompiler(): Promise<void> {
  if (builds === 0) await (await compiler)?.stop();
}

async function buildEither(request: BundleRequest, esbuild: Esbuild): Promise<Bundle> {
  try {
    return await buildAs('cjs', request, esbuild);
  } catch (error) {
    const isAwait =
      isBuildFailure(error) && error.errors.some(({ text }) => text.startsWith('Top-level await'));
    if (!isAwait) throw error;
    return buildAs('esm', request, esbuild);
  }
}

async function buildAs(format: Bundle['format'], request: BundleRequest, esbuild: Esbuild): Promise<Bundle> {
  const result = await esbuild.build(optionsFor(format, request, esbuild));
  const code = result.outputFiles[0]?.text ?? '';
  return { format, code, files: getFiles(result, request.directory) };
}

function optionsFor(format: Bundle['format'], request: BundleRequest, esbuild: Esbuild) {
  return {
    entryPoints: [request.main],
    absWorkingDir: request.directory,
    // The assumed path of the text: traces and source maps then name the plugin's own files.
    outfile: `${request.main}.cjs`,
    sourceRoot: request.directory + path.sep,
    bundle: true,
    write: false,
    metafile: true,
    format,
    platform: 'node',
    target: TARGET,
    sourcemap: 'inline',
    sourcesContent: false,
    keepNames: true,
    logLevel: 'silent',
    conditions: ['import', 'node'],
    mainFields: ['module', 'main'],
    tsconfigRaw: TSCONFIG,
    plugins: [hostModules(request), nativeModules, importMeta(esbuild)],
  } satisfies BuildOptions;
}

/** Only files: the service's modules are not on the plugin's disk. */
function getFiles(result: BuildResult<{ metafile: true }>, directory: string): string[] {
  return Object.keys(result.metafile.inputs)
    .filter(
      (input) => !input.startsWith(`${HOST_NAMESPACE}:`) && !input.startsWith(`${HOST_REQUIRE_NAMESPACE}:`),
    )
    .map((input) => path.resolve(directory, input))
    .sort();
}

/**
 * Replaces the modules of the service. Their exports are listed, so that a wrong import name fails during compilation, with its
 * place; `require` returns the same as for the real module.
 */
function hostModules(request: BundleRequest): EsbuildPlugin {
  return {
    name: 'host-modules',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) => {
        if (!request.shims.has(name)) return undefined;
        return { path: name, namespace: kind === 'require-call' ? HOST_REQUIRE_NAMESPACE : HOST_NAMESPACE };
      });
      build.onLoad({ filter: /./, namespace: HOST_NAMESPACE }, ({ path: name }) => ({
        loader: 'js',
        contents: `const host = ${hostExpression(name)};\n${(request.shims.get(name) ?? []).map(reExport).join('\n')}`,
      }));
      build.onLoad({ filter: /./, namespace: HOST_REQUIRE_NAMESPACE }, ({ path: name }) => ({
        loader: 'js',
        contents: `const host = ${hostExpression(name)};\nmodule.exports = host.default ?? host;`,
      }));
    },
  };
}

function hostExpression(name: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(HOST_MODULES_KEY)})].get(${JSON.stringify(name)})`;
}

function reExport(name: string, i: number): string {
  // The name of an export may be a reserved word; a local name may not.
  return `const host${i} = host[${JSON.stringify(name)}]; export { host${i} as ${name} };`;
}

/** Binary add-ons cannot be part of a text; they remain separate files. */
const nativeModules: EsbuildPlugin = {
  name: 'native-modules',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path: name, resolveDir }) => ({
      path: path.resolve(resolveDir, name),
      external: true,
    }));
  },
};

/** `import.meta` refers to the source file that contains it, not to the compiled text. */
function importMeta(esbuild: Esbuild): EsbuildPlugin {
  return {
    name: 'import-meta',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]s$/, namespace: 'file' }, async ({ path: file }) => {
        const text = await readFile(file, 'utf8');
        if (!text.includes('import.meta')) return undefined;
        const { code } = await esbuild.transform(text, {
          loader: sourceLoader(file),
          target: 'esnext',
          sourcefile: file,
          sourcemap: 'inline',
          tsconfigRaw: TSCONFIG,
          define: {
            'import.meta.url': JSON.stringify(pathToFileURL(file).href),
            'import.meta.filename': JSON.stringify(file),
            'import.meta.dirname': JSON.stringify(path.dirname(file)),
          },
        });
        return { contents: code, loader: 'js', resolveDir: path.dirname(file) };
      });
    },
  };
}

function sourceLoader(file: string): Loader {
  return file.endsWith('ts') ? 'ts' : 'js';
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function readable(failure: BuildFailure, request: BundleRequest): Error {
  return new Error(failure.errors.map((fault) => lineFor(fault, request.directory)).join('; '), {
    cause: failure,
  });
}

function lineFor({ text, location }: Message, directory: string): string {
  const message = text.replaceAll(`"${HOST_NAMESPACE}:`, '"');
  if (location === null) return message;
  // esbuild counts columns from 0, editors count from 1.
  return `${path.resolve(directory, location.file)}:${location.line}:${location.column + 1}: ${message}`;
}
