/**
 * Puts together in dist/bundle what is published. The program, `xsvc`, `xsvc/testing` and the modules of processes are parts of
 * one file, `xsvc.cjs`, with the packages that they need: a class is one class in all of them, and V8 can keep its code.
 * `xsvc/client` is a separate small module.
 * Part of `npm run build`.
 */
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { licenses } from './licenses.mjs';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const outdir = path.join(dist, 'bundle');

/** Packages that need their own files at run time, and two optional ones of `pg`. */
const EXTERNAL = [
  '@modelcontextprotocol/sdk',
  'chokidar',
  'csv-parse',
  'esbuild',
  'express',
  'lmdb',
  'pg',
  'prom-client',
  're2js',
];

/** A module that starts a thread or a process names its file like this. */
const STARTED = /new URL\('([\w-]+\.js)', import\.meta\.url\)/g;

/** An import of a file by its URL. The loader does it, because code from a cache cannot import. */
const IMPORTED = /\bimport\(\/\* @vite-ignore \*\/ /;

/** Files that are found beside a module are looked for where it was before; modules that it starts are in the bundle. */
const places = {
  name: 'places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8').replace(IMPORTED, 'importFile(');
      if (file.includes('node_modules') || !/import\.meta\.url|importFile/.test(text)) return undefined;
      const place = path.relative(outdir, file).replaceAll(path.sep, '/');
      const contents = text.replaceAll(STARTED, (_, name) => `new URL('${name}', bundlePlace)`);
      return { contents: `const modulePlace = new URL('${place}', bundlePlace).href;${contents}` };
    });
  },
};

/** The files that the page of the API loads, with their licenses. swagger-ui-dist is not installed: its installation is reported. */
const SWAGGER_UI = [
  'favicon-16x16.png',
  'favicon-32x32.png',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-standalone-preset.js.LICENSE.txt',
  'swagger-ui.css',
];
const swaggerUi = {
  name: 'swagger-ui',
  setup: ({ onLoad }) => {
    const contents =
      "module.exports = () => require('node:url').fileURLToPath(new URL('../swagger-ui', bundlePlace));";
    onLoad({ filter: /swagger-ui-dist[/\\]absolute-path\.js$/ }, () => ({ contents }));
  },
};

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: EXTERNAL,
  treeShaking: true,
  // The package has a limit. Traces need the names of functions, and lines that are short enough to find a place.
  // `keepNames` would set the name of each function when it is created, which doubles the time of a list.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'none',
  metafile: true,
  define: { 'import.meta.url': 'modulePlace' },
  plugins: [swaggerUi, places],
};

rmSync(outdir, { recursive: true, force: true });
const started = startedModules();
const processes = started.filter((file) => file.endsWith('-process.js'));
const partFiles = {
  main: path.join(dist, 'cli/main.js'),
  index: path.join(dist, 'index.js'),
  testing: path.join(dist, 'testing/index.js'),
  ...Object.fromEntries(processes.map((file) => [path.basename(file, '.js'), file])),
};

const program = await build({
  ...common,
  stdin: { contents: parts(), resolveDir: dist },
  outdir: undefined,
  outfile: path.join(outdir, 'xsvc.cjs'),
  format: 'cjs',
  supported: { 'dynamic-import': false },
  banner: {
    js: '(function (exports, require, __filename, importFile) { "use strict"; const bundlePlace = require("node:url").pathToFileURL(__filename).href;',
  },
  footer: { js: '})' },
});
// One byte for each character is read faster. Only patterns have others.
const text = readFileSync(path.join(outdir, 'xsvc.cjs'), 'utf8').replace(
  /[^\0-\x7f]/g,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
);
put('xsvc.cjs', text);

const threads = await build({
  ...common,
  entryPoints: started.filter((file) => !processes.includes(file)),
  entryNames: '[name]',
  packages: 'external',
  format: 'esm',
  banner: { js: 'const bundlePlace = import.meta.url;' },
});

/** Browsers have none of these modules: functions that use them are left out of the client. */
const withoutNode = {
  name: 'without-node',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};
await build({
  absWorkingDir: root,
  entryPoints: { client: path.join(dist, 'client/programs/index.js') },
  outdir,
  bundle: true,
  platform: 'neutral',
  target: ['node20.19', 'chrome120', 'firefox121', 'safari17.4'],
  format: 'esm',
  minify: true,
  legalComments: 'none',
  plugins: [withoutNode],
});

const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
const place = 'require("node:url").pathToFileURL(__filename).href';
await build({
  ...common,
  entryPoints: { load: path.join(dist, 'lib/process/load-program.js') },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  banner: { js: `const bundlePlace = ${place};` },
  define: { 'import.meta.url': 'bundlePlace', PROGRAM_HASH: JSON.stringify(hash) },
  plugins: [],
});

for (const part of ['index', 'testing']) {
  const names = Object.keys(await import(partFiles[part])).join(', ');
  put(`${part}.js`, `import { load } from './load.cjs';\nexport const { ${names} } = load('${part}');\n`);
}
for (const file of processes) {
  put(path.basename(file), `import { load } from './load.cjs';\nload('${path.basename(file, '.js')}');\n`);
}
put('licenses.txt', licenses([program.metafile, threads.metafile]));
rmSync(path.join(dist, 'swagger-ui'), { recursive: true, force: true });
for (const file of SWAGGER_UI)
  cpSync(path.join(root, 'node_modules/swagger-ui-dist', file), path.join(dist, 'swagger-ui', file));

function put(name, content) {
  writeFileSync(path.join(outdir, name), content);
}

/** Each part is evaluated when it is asked for. */
function parts() {
  const lines = Object.entries(partFiles).map(
    ([name, file]) => `exports[${JSON.stringify(name)}] = () => require(${JSON.stringify(file)});`,
  );
  return lines.join('\n');
}

function startedModules() {
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) => name.endsWith('.js') && !parentPath.startsWith(path.join(dist, 'console')),
    )
    .flatMap(({ name, parentPath }) =>
      [...readFileSync(path.join(parentPath, name), 'utf8').matchAll(STARTED)].map(([, file]) =>
        path.join(parentPath, file),
      ),
    );
}
