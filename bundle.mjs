/**
 * Puts together in dist/bundle what the program loads together: a start that reads hundreds of small files takes a quarter
 * longer. The packages it needs stay outside, and `import 'xsvc'` still reads the single files. Part of `npm run build`.
 */
import { build } from 'esbuild';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const dist = path.join(import.meta.dirname, 'dist');
const outdir = path.join(dist, 'bundle');

/** Files that are found beside a module are looked for where it was before. */
const places = {
  name: 'places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const place = path.relative(outdir, file).replaceAll(path.sep, '/');
      return { contents: `const modulePlace = new URL('${place}', bundlePlace).href;${text}` };
    }),
};

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [path.join(dist, 'cli/main.js')],
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
