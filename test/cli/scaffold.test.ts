import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scaffoldNames } from '../../src/cli/scaffold/names.js';
import { putFiles, runCli } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

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
    ['3d', 'no name for a model'],
    ['x'.repeat(70), 'no name for a model'],
    ['controller', 'a model cannot be called Controller'],
    ['request', 'a model cannot be called Request'],
    ['object', 'a model cannot be called Object'],
  ])('refuses %s', (plugin, message) => {
    expect(() => scaffoldNames(plugin)).toThrow(message);
  });

  it('refuses groups of the platform', () => {
    expect(() => scaffoldNames('note', 'note.platform.run')).toThrow('use a domain of yours');
    expect(() => scaffoldNames('note', 'Not a group')).toThrow('use a domain of yours');
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
    const tsconfig = JSON.parse(readFileSync(path.join(cwd, 'plugins/note/tsconfig.json'), 'utf8')) as {
      compilerOptions: { paths: { xsvc: string[] } };
    };
    expect(tsconfig.compilerOptions.paths.xsvc).toEqual([
      expect.stringMatching(/^\.\..*dist\/index\.d\.ts$/),
    ]);
  });

  it('does not touch a directory that has something in it', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'here/a.txt': '' });
    const { code, out, err } = await runCli(['plugin', 'init', 'note', '--dir', 'here'], { cwd });
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(err).toContain('the directory here is not empty');
    expect(readdirSync(path.join(cwd, 'here'))).toEqual(['a.txt']);
  });
});
