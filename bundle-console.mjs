/**
 * Bundles the console in dist/console: what the page loads first, and parts that it loads when they are needed. Their names
 * change with what is in them, so that browsers may keep them. Part of `npm run build`.
 */
import { build } from 'esbuild';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { licenses } from './licenses.mjs';

const root = import.meta.dirname;
const source = path.join(root, 'src/console');
const outdir = path.join(root, 'dist/console');

rmSync(outdir, { recursive: true, force: true });
const shared = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  platform: 'browser',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  minify: true,
  tsconfig: path.join(source, 'tsconfig.json'),
};
const main = path.join(source, 'main.tsx');

/**
 * Each part that is loaded later imports what is loaded first. So esbuild puts that in one file; otherwise it makes a file for
 * each set of parts that share a module, and a browser asks for dozens of files before it shows anything.
 */
const oneFirstFile = {
  name: 'one first file',
  setup({ onResolve, onLoad }) {
    const later = new Set();
    onResolve({ filter: /\.js$/ }, ({ path: name, kind, resolveDir }) => {
      if (kind === 'dynamic-import') later.add(path.resolve(resolveDir, name).replace(/\.js$/, ''));
    });
    onLoad({ filter: /\.tsx?$/ }, ({ path: file }) => {
      if (!later.has(file.replace(/\.tsx?$/, ''))) return undefined;
      const contents = `${readFileSync(file, 'utf8')}\nimport ${JSON.stringify(main)};\n`;
      return { contents, loader: file.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

const { metafile } = await build({
  ...shared,
  plugins: [oneFirstFile],
  entryPoints: [main, path.join(source, 'console.css')],
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  splitting: true,
  format: 'esm',
  jsx: 'automatic',
  legalComments: 'none',
  // Letters of other languages as they are: escaped, they would be three times as long.
  charset: 'utf8',
  metafile: true,
  define: { 'process.env.NODE_ENV': '"production"' },
});
// The script for pages of plugins, which have no origin: browsers do not load modules there.
await build({
  ...shared,
  entryPoints: { bridge: path.join(source, 'bridge/page-script.ts') },
  format: 'iife',
});

const built = new Map(
  Object.entries(metafile.outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[path.basename(entryPoint), path.basename(file)]],
  ),
);
const page = readFileSync(path.join(source, 'index.html'), 'utf8')
  .replace('%style%', built.get('console.css'))
  .replace('%script%', built.get('main.tsx'));
writeFileSync(path.join(outdir, 'index.html'), page);
writeFileSync(path.join(outdir, 'licenses.txt'), licenses([metafile]));
