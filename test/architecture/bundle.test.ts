import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const BUNDLE = new URL('../../dist/bundle/', import.meta.url);
/** Long lines are broken, strings too. */
const textOf = (file: string): string => readFileSync(new URL(file, BUNDLE), 'utf8').replaceAll('\\\n', '');
const files = readdirSync(BUNDLE).filter((file) => /\.c?js$/.test(file));
const matches = (pattern: RegExp): string[] =>
  files.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([, found]) => String(found)));

it('the bundle is the program with its packages in one file, the modules that start it, and those of threads', () => {
  expect(files.sort()).toEqual([
    'backup-process.js',
    'client.js',
    'conversion-worker.js',
    'index.js',
    'load.cjs',
    'plan-process.js',
    'read-ahead-worker.js',
    'testing.js',
    'watchdog-thread.js',
    'xsvc.cjs',
  ]);
  const packages = matches(/(?:\bfrom|\brequire\(|\bimport\()"([\w@][^":]*)"/g);
  // A text of ajv, for validators as modules.
  const installed = packages.filter((name) => !isBuiltin(name) && !name.startsWith('ajv/dist/runtime/'));
  expect([...new Set(installed)].sort()).toEqual([
    '@modelcontextprotocol/sdk/client/index.js',
    '@modelcontextprotocol/sdk/client/streamableHttp.js',
    '@modelcontextprotocol/sdk/server/mcp.js',
    '@modelcontextprotocol/sdk/server/streamableHttp.js',
    '@modelcontextprotocol/sdk/types.js',
    'chalk',
    'chokidar',
    'csv-parse',
    'esbuild',
    'express',
    'js-yaml',
    'lmdb',
    'negotiator',
    'pg',
    'pino',
    'prom-client',
    're2js',
  ]);
});

it('the licenses of all packages in the bundle are beside it', () => {
  const titles = textOf('licenses.txt').match(/^[@\w./-]+ \d[\w.-]* \(.+\)$/gm) ?? [];
  const names = titles.map((title) => title.split(' ')[0]);
  expect(names).toEqual(
    expect.arrayContaining([
      'ajv',
      'commander',
      'js-yaml',
      'semver',
      'swagger-ui-dist',
      'swagger-ui-express',
    ]),
  );
  expect(names).not.toContain('lmdb');
  expect(textOf('licenses.txt')).toContain('SmartBear Software');
});

it('the page of the API is beside the bundle, and neither its package nor the reporter of installations is installed', () => {
  expect(readdirSync(new URL('../swagger-ui', BUNDLE)).sort()).toEqual([
    'favicon-16x16.png',
    'favicon-32x32.png',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui-standalone-preset.js',
    'swagger-ui-standalone-preset.js.LICENSE.txt',
    'swagger-ui.css',
  ]);
  const { packages } = JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const installed = Object.keys(packages).filter((place) => packages[place]?.dev !== true);
  expect(installed).toContain('node_modules/express');
  expect(installed.filter((place) => /swagger|scarf/.test(place))).toEqual([]);
});

it('modules of the bundle look for files where they were compiled to, and for threads and processes in the bundle', () => {
  const places = matches(/new URL\("([^"]+)",\s*bundlePlace\)/g);
  const compiled = places.filter((place) => place.startsWith('../'));
  expect(compiled).toContain('../daemon/app.js');
  expect(compiled.filter((place) => !existsSync(new URL(place, BUNDLE)))).toEqual([]);
  const started = places.filter((place) => place.endsWith('.js') && !place.startsWith('../'));
  expect([...new Set(started)].sort()).toEqual([
    'backup-process.js',
    'conversion-worker.js',
    'plan-process.js',
    'read-ahead-worker.js',
    'watchdog-thread.js',
  ]);
});

it('a class is one class in `xsvc` and `xsvc/testing`', () => {
  const script = `
    import { AbstractExtension, GVK, ServiceError } from 'xsvc';
    import { startTestService } from 'xsvc/testing';
    class Note extends AbstractExtension {}
    GVK({ group: 'a.example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })(Note);
    const service = await startTestService({ models: [Note] });
    const error = await service.client.get(Note, 'none').catch((error) => error);
    console.log(error instanceof ServiceError, error.code);
    await service.close();
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('true NotFound\n');
});
