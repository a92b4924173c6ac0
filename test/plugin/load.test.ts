import express from 'express';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { BasePlugin } from '../../src/plugin/base-plugin.js';
import { stopCompiler } from '../../src/plugin/bundle.js';
import { defaultExport, findMain, loadPlugin, pluginClass } from '../../src/plugin/load.js';
import {
  copyOf,
  example,
  fixture,
  hostModules,
  manifestText,
  sourceIn,
  temporaryDirectory,
  writeFiles,
} from './helpers.js';

afterAll(stopCompiler);

async function load(name: string) {
  const cacheDirectory = await temporaryDirectory();
  return loadPlugin(await fixture(name), { hostModules, cacheDirectory });
}

function exported(module: object, name: string): unknown {
  return Reflect.get(module, name);
}

describe('loading a plugin', () => {
  it.each(['ts-syntax', 'js-esm', 'js-mjs', 'commonjs', 'top-level-await', 'lazy-import', 'json-import'])(
    'gives %s the very BasePlugin of the service',
    async (name) => {
      const { exports } = await load(name);
      expect(pluginClass(exports).prototype).toBeInstanceOf(BasePlugin);
    },
  );

  it.each(['person', 'catalogue', 'bookmark'])('loads the example %s', async (name) => {
    const { exports } = await loadPlugin(await example(name), {
      hostModules,
      cacheDirectory: await temporaryDirectory(),
    });
    expect(pluginClass(exports).prototype).toBeInstanceOf(BasePlugin);
  });

  it('runs TypeScript with enums, namespaces, parameter properties and private names, whatever its tsconfig says', async () => {
    const { directory } = await fixture('ts-syntax');
    const { exports, files } = await load('ts-syntax');
    expect(exported(exports, 'facts')).toEqual({
      size: 1,
      corners: 4,
      count: 2,
      word: 'HELLO',
      url: pathToFileURL(path.join(directory, 'index.ts')).href,
      here: path.join(directory, 'lib'),
    });
    expect(files).toEqual([path.join(directory, 'index.ts'), path.join(directory, 'lib/words.ts')]);
  });

  it('waits for top-level await', async () => {
    expect(exported((await load('top-level-await')).exports, 'manifest')).toContain('name: top-level-await');
  });

  it('follows lazy imports and imports of JSON', async () => {
    const later = exported((await load('lazy-import')).exports, 'later');
    expect(typeof later === 'function' && (await Reflect.apply(later, undefined, []))).toBe(42);
    expect(exported((await load('json-import')).exports, 'colour')).toBe('green');
  });

  it("gives the service's own Express to a plugin that has none", async () => {
    const { exports } = await load('uses-express');
    expect(exported(exports, 'express')).toBe(express);
    expect(exported(exports, 'Router')).toBe(express.Router);
  });

  it('lets a plugin use the Express of its node_modules, but never an xsvc there', async () => {
    const source = await copyOf('uses-express');
    await writeFiles(source.directory, {
      'node_modules/express/index.js': "exports.Router = 'own'; exports.default = 'own';",
      'node_modules/xsvc/index.js': 'exports.BasePlugin = class {};',
    });
    const { exports } = await loadPlugin(source, { hostModules, cacheDirectory: await temporaryDirectory() });
    expect(exported(exports, 'Router')).toBe('own');
    expect(pluginClass(exports).prototype).toBeInstanceOf(BasePlugin);
  });

  it('evaluates the code again each time', async () => {
    for (const name of ['js-esm', 'top-level-await']) {
      const source = await fixture(name);
      const cacheDirectory = await temporaryDirectory();
      const first = await loadPlugin(source, { hostModules, cacheDirectory });
      const second = await loadPlugin(source, { hostModules, cacheDirectory });
      expect(pluginClass(first.exports)).not.toBe(pluginClass(second.exports));
    }
  });

  it('names file, line and column of a syntax error', async () => {
    const { directory } = await fixture('syntax-error');
    await expect(load('syntax-error')).rejects.toThrow(`${path.join(directory, 'index.ts')}:5:1: Expected`);
  });

  it('names file, line and column of an import that xsvc does not have', async () => {
    const { directory } = await fixture('wrong-import');
    await expect(load('wrong-import')).rejects.toThrow(
      `${path.join(directory, 'index.ts')}:1:22: No matching export in "xsvc" for import "Nope"`,
    );
  });

  it('passes on what the module throws', async () => {
    const directory = await temporaryDirectory();
    await writeFiles(directory, {
      'plugin.yaml': manifestText('bang'),
      'index.js': "throw new Error('bang');",
    });
    const loading = loadPlugin(await sourceIn(directory), {
      hostModules,
      cacheDirectory: await temporaryDirectory(),
    });
    await expect(loading).rejects.toMatchObject({
      code: 'Invalid',
      message: expect.stringMatching(/bang$/) as string,
    });
  });
});

describe('the main module', () => {
  it('is the first default that exists, or the one that the manifest names', async () => {
    const directory = await temporaryDirectory();
    await writeFiles(directory, { 'plugin.yaml': manifestText('a'), 'dist/index.js': '', 'other.js': '' });
    expect(await findMain(await sourceIn(directory))).toBe(path.join(directory, 'dist/index.js'));
    await writeFiles(directory, { 'index.js': '' });
    expect(await findMain(await sourceIn(directory))).toBe(path.join(directory, 'index.js'));
    await writeFiles(directory, { 'plugin.yaml': manifestText('a', '  main: ./other.js\n') });
    expect(await findMain(await sourceIn(directory))).toBe(path.join(directory, 'other.js'));
  });

  it('must exist, and lie inside the directory', async () => {
    const directory = await temporaryDirectory();
    await writeFiles(directory, { 'plugin.yaml': manifestText('a') });
    await expect(findMain(await sourceIn(directory))).rejects.toThrow(
      'index.ts, index.js, index.mjs, dist/index.js',
    );
    await writeFiles(directory, { 'plugin.yaml': manifestText('a', '  main: ../evil.js\n') });
    await expect(findMain(await sourceIn(directory))).rejects.toThrow("outside the plugin's directory");
  });
});

describe('the default export', () => {
  it('is found however the module was compiled', () => {
    class Main {}
    expect(defaultExport(Main)).toBe(Main);
    expect(defaultExport({ default: Main })).toBe(Main);
    expect(defaultExport({ default: { __esModule: true, default: Main } })).toBe(Main);
    expect(defaultExport({ answer: 42 })).toBeUndefined();
    expect(defaultExport(undefined)).toBeUndefined();
  });

  it('must be there and extend BasePlugin', async () => {
    const none = await load('no-default');
    expect(() => pluginClass(none.exports)).toThrow('needs a default export');
    const other = await load('not-a-plugin');
    expect(() => pluginClass(other.exports)).toThrow('is not a class that extends BasePlugin');
  });
});

describe('the cache of compiled plugins', () => {
  it('gives the text of the first start to the second without compiling', async () => {
    const source = await copyOf('js-esm');
    const cacheDirectory = await temporaryDirectory();
    await loadPlugin(source, { hostModules, cacheDirectory });
    const [code] = (await readdir(cacheDirectory)).filter((file) => file.endsWith('.cjs'));
    const before = await modifiedFiles(cacheDirectory);
    const { exports, files } = await loadPlugin(source, { hostModules, cacheDirectory });
    expect(code).toBeDefined();
    expect(exported(exports, 'kind')).toBe('module');
    expect(files).toEqual([path.join(source.directory, 'index.js')]);
    expect(await modifiedFiles(cacheDirectory)).toEqual(before);
  });

  it('notices a change of any file that went into it', async () => {
    const source = await copyOf('json-import');
    const cacheDirectory = await temporaryDirectory();
    await loadPlugin(source, { hostModules, cacheDirectory });
    await writeFiles(source.directory, { 'settings.json': '{ "colour": "blue" }' });
    const { exports } = await loadPlugin(source, { hostModules, cacheDirectory });
    expect(exported(exports, 'colour')).toBe('blue');
  });

  it('notices that the service has other exports', async () => {
    const source = await copyOf('wrong-import');
    const cacheDirectory = await temporaryDirectory();
    const more = new Map([...hostModules, ['xsvc', { ...hostModules.get('xsvc'), Nope: 1 }]]);
    await loadPlugin(source, { hostModules: more, cacheDirectory });
    await expect(loadPlugin(source, { hostModules, cacheDirectory })).rejects.toThrow('No matching export');
  });

  it.each(['.json', '.cjs'])('rebuilds silently when a %s file of it is damaged', async (suffix) => {
    const source = await copyOf('js-esm');
    const cacheDirectory = await temporaryDirectory();
    await loadPlugin(source, { hostModules, cacheDirectory });
    const [name = ''] = (await readdir(cacheDirectory)).filter((file) => file.endsWith(suffix));
    const file = path.join(cacheDirectory, name);
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, 20));
    const { exports } = await loadPlugin(source, { hostModules, cacheDirectory });
    expect(exported(exports, 'kind')).toBe('module');
    expect(await readFile(file, 'utf8')).toBe(whole);
  });

  it('is not needed: a directory that cannot be written to costs only time', async () => {
    const file = path.join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    const { exports } = await loadPlugin(await fixture('js-esm'), { hostModules, cacheDirectory: file });
    expect(exported(exports, 'kind')).toBe('module');
  });
});

async function modifiedFiles(directory: string): Promise<string[]> {
  const { stat } = await import('node:fs/promises');
  const names = (await readdir(directory)).sort();
  return Promise.all(
    names.map(async (name) => `${name} ${(await stat(path.join(directory, name))).mtimeMs}`),
  );
}
