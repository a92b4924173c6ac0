import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/exit.js';
import { scaffoldNames } from '../../src/cli/scaffold/names.js';
import { putFiles, runCli } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
afterAll(removeDirectories);

describe('scaffoldNames', () => {
  it.each([
    ['note', 'Note', 'note', 'notes', 'note'],
    ['notes', 'Note', 'note', 'notes', 'note'],
    ['my-notes', 'MyNote', 'mynote', 'mynotes', 'my-note'],
    ['address', 'Address', 'address', 'addresses', 'address'],
    ['box', 'Box', 'box', 'boxes', 'box'],
    ['city', 'City', 'city', 'cities', 'city'],
    ['day', 'Day', 'day', 'days', 'day'],
    ['a--b', 'AB', 'ab', 'abs', 'a--b'],
  ])('makes names of %s', (plugin, kind, singular, plural, file) => {
    const group = `${plugin}.example.com`;
    expect(scaffoldNames(plugin)).toEqual({ plugin, group, kind, singular, plural, file });
  });

  it.each([
    ['Note', 'cannot be the name of a plugin'],
    ['../x', 'cannot be the name of a plugin'],
    ['3d', 'cannot be turned into the name of a model'],
    ['x'.repeat(70), 'cannot be turned into the name of a model'],
    ['controller', 'a model cannot be named Controller'],
    ['request', 'a model cannot be named Request'],
    ['object', 'a model cannot be named Object'],
  ])('refuses %s', (plugin, message) => {
    expect(() => scaffoldNames(plugin)).toThrow(message);
  });

  it.each([
    ['catalog', 'Service', 'service', 'services', 'service'],
    ['ci', 'BuildJob', 'buildjob', 'buildjobs', 'build-job'],
    ['notes', 'Policy', 'policy', 'policies', 'policy'],
    ['net', 'HTTPRoute', 'httproute', 'httproutes', 'http-route'],
  ])('of %s take the given kind %s', (plugin, kind, singular, plural, file) => {
    const group = `${plugin}.example.com`;
    expect(scaffoldNames(plugin, undefined, kind)).toEqual({ plugin, group, kind, singular, plural, file });
  });

  it.each(['service', 'My-Service', '', 'Controller', 'Map', `A${'b'.repeat(70)}`])(
    'refuse the kind %j',
    (kind) => {
      expect(() => scaffoldNames('catalog', undefined, kind)).toThrow(UsageError);
    },
  );

  it('refuses groups of the platform', () => {
    expect(() => scaffoldNames('note', 'note.platform.run')).toThrow('use a domain that you own');
    expect(() => scaffoldNames('note', 'Not a group')).toThrow('use a domain that you own');
  });
});

describe('xsvc plugin init', () => {
  it('makes a plugin in the directory of plugins, and says how to start it', async () => {
    const cwd = temporaryDirectory();
    const { code, out, err } = await runCli(['plugin', 'init', 'note'], { cwd });
    expect({ code, err }).toEqual({ code: 0, err: 'start it with: xsvc serve --plugins plugins/note\n' });
    const made = out.split('\n').filter((line) => line !== '');
    expect(made).toContain('plugins/note/note-reconciler.ts created');
    for (const line of made) expect(existsSync(path.join(cwd, line.replace(/ created$/, '')))).toBe(true);
    const readJson = (file: string): unknown =>
      JSON.parse(readFileSync(path.join(cwd, 'plugins/note', file), 'utf8'));
    expect(readJson('tsconfig.json')).not.toHaveProperty('compilerOptions.paths');
    const { devDependencies } = readJson('package.json') as { devDependencies: Record<string, string> };
    expect(devDependencies.typescript).toMatch(/^\^\d/);
    const [, place = ''] = /^file:(.*)$/.exec(devDependencies.xsvc ?? '') ?? [];
    expect(realpathSync(path.resolve(cwd, 'plugins/note', place))).toBe(realpathSync(ROOT));
    expect(readFileSync(path.join(cwd, 'plugins/note/.gitignore'), 'utf8')).toMatch(/^node_modules\/$/m);
  });

  it('does not touch a directory that has something in it', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'here/a.txt': '' });
    const { code, out, err } = await runCli(['plugin', 'init', 'note', '--dir', 'here'], { cwd });
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(err).toContain('the directory here is not empty');
    expect(readdirSync(path.join(cwd, 'here'))).toEqual(['a.txt']);
  });

  it('makes xsvc be found from the new plugin: by a link to the running program, unless one is installed', async () => {
    const cwd = temporaryDirectory();
    await runCli(['plugin', 'init', 'note'], { cwd });
    expect(realpathSync(path.join(cwd, 'plugins/note/node_modules/xsvc'))).toBe(realpathSync(ROOT));
    await putFiles(cwd, { 'node_modules/xsvc/package.json': '{"name": "xsvc", "version": "0.1.0"}' });
    await runCli(['plugin', 'init', 'task'], { cwd });
    expect(existsSync(path.join(cwd, 'plugins/task/node_modules'))).toBe(false);
  });
});

describe('xsvc init', () => {
  it('makes a project in an empty directory, with the example of the documents', async () => {
    const cwd = temporaryDirectory();
    const { code, out, err } = await runCli(['init', '--example', 'shop'], { cwd });
    expect({ code, err }).toEqual({ code: 0, err: 'start it with: cd shop && npm install && npm start\n' });
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        'shop/package.json created',
        'shop/plugins/person/plugin.yaml created',
        'shop/plugins/person/extensions/persons.yaml created',
      ]),
    );
    const manifest = JSON.parse(readFileSync(path.join(cwd, 'shop/package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({
      type: 'module',
      scripts: { start: 'xsvc serve', test: 'vitest run', types: 'tsc --noEmit' },
      dependencies: { xsvc: expect.stringMatching(/^file:\.\.\//) as unknown },
    });
    const person = 'plugins/person/person.ts';
    expect(readFileSync(path.join(cwd, 'shop', person))).toEqual(readFileSync(path.join(ROOT, person)));
  });

  it('adds missing fields to a package.json, and keeps existing ones', async () => {
    const cwd = temporaryDirectory();
    const given = {
      name: 'mine',
      scripts: { test: 'mine' },
      dependencies: { xsvc: 'file:xsvc.tgz' },
      devDependencies: { typescript: '5.9.2' },
      allowScripts: { esbuild: true },
    };
    await putFiles(cwd, { 'package.json': JSON.stringify(given) });
    const { out, err } = await runCli(['init'], { cwd });
    expect(out.split('\n').sort()).toEqual([
      '',
      '.gitignore created',
      'package.json changed',
      'tsconfig.json created',
      'vitest.config.js created',
    ]);
    expect(err).toContain('create a plugin with: npx xsvc plugin init NAME');
    expect(JSON.parse(readFileSync(path.join(cwd, 'package.json'), 'utf8'))).toEqual({
      ...given,
      private: true,
      type: 'module',
      scripts: { start: 'xsvc serve', test: 'mine', types: 'tsc --noEmit' },
      devDependencies: { ...given.devDependencies, vitest: expect.stringMatching(/^\^\d/) as unknown },
      allowScripts: { esbuild: true, lmdb: false, 'msgpackr-extract': false },
    });
  });

  it('names every package below xsvc that has an install script, so that npm does not ask', async () => {
    interface Locked {
      readonly packages: Readonly<
        Record<string, { readonly hasInstallScript?: boolean; readonly dev?: boolean }>
      >;
    }
    const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as Locked;
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true)
      .map(([place]) => place.replace(/^.*node_modules\//, ''));
    const cwd = temporaryDirectory();
    await runCli(['init'], { cwd });
    const { allowScripts } = JSON.parse(readFileSync(path.join(cwd, 'package.json'), 'utf8')) as {
      readonly allowScripts: object;
    };
    expect(Object.keys(allowScripts).sort()).toEqual(expect.arrayContaining(names));
    expect(names).not.toEqual([]);
  });

  it('writes nothing where a file of it is there already, or the package.json cannot be read', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'plugins/person/index.ts': 'mine', 'other/package.json': 'not JSON' });
    const taken = await runCli(['init', '--example'], { cwd });
    expect({ code: taken.code, out: taken.out }).toEqual({ code: 4, out: '' });
    expect(taken.err).toContain('plugins/person/index.ts: already exist, so nothing was written');
    const broken = await runCli(['init', 'other'], { cwd });
    expect({ code: broken.code, out: broken.out }).toEqual({ code: 5, out: '' });
    expect(broken.err).toContain('cannot change other/package.json');
    expect(readdirSync(cwd).sort()).toEqual(['other', 'plugins']);
    expect(readdirSync(path.join(cwd, 'other'))).toEqual(['package.json']);
  });
});
