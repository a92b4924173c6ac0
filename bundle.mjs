/**
 * Puts together in dist/bundle what is published: the program, `xsvc`, `xsvc/testing`, and the modules of their threads and
 * processes. They share their parts, so that a class is one class in all of them. A start that reads hundreds of small
 * files would take a quarter longer. The packages that they need stay outside. Part of `npm run build`.
 */
import { build } from 'esbuild';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const dist = path.join(import.meta.dirname, 'dist');
const outdir = path.join(dist, 'bundle');

/** A module that starts a thread or a process names its file like this. */
const STARTED = /new URL\('([\w-]+\.js)', import\.meta\.url\)/g;

/** Files that are found beside a module are looked for where it was before; modules that it starts are in the bundle. */
const places = {
  name: 'places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = path.relative(outdir, file).replaceAll(path.sep, '/');
      const contents = text.replaceAll(STARTED, (_, name) => `new URL('${name}', bundlePlace)`);
      return { contents: `const modulePlace = new URL('${place}', bundlePlace).href;${contents}` };
    }),
};

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: {
    main: path.join(dist, 'cli/main.js'),
    index: path.join(dist, 'index.js'),
    testing: path.join(dist, 'testing/index.js'),
    ...Object.fromEntries(startedModules().map((file) => [path.basename(file, '.js'), file])),
  },
  outdir,
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  treeShaking: true,
  legalComments: 'none',
  define: { 'import.meta.url': 'modulePlace' },
  banner: { js: 'const bundlePlace = import.meta.url;' },
  plugins: [places],
});

function startedModules() {
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) => name.endsWith('.js') && !parentPath.startsWith(path.join(dist, 'console')),
    )
    .flatMap(({ name, parentPath }) =>
      [...readFileSync(path.join(parentPath, name), 'utf8').matchAll(STARTED)].map(([, started]) =>
        path.join(parentPath, started),
      ),
    );
}
