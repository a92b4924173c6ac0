import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDeclared } from '../../src/plugin/declared.js';
import { EXAMPLES, FIXTURES, temporaryDirectory, writeFiles } from './helpers.js';

describe('declared instances', () => {
  it('are read from both directories, by path, all documents of a file', async () => {
    const directory = path.join(FIXTURES, 'declares');
    const { instances } = await readDeclared(directory);
    expect(
      instances.map(({ object, file, line }) => [object.metadata.name, path.relative(directory, file), line]),
    ).toEqual([
      ['flower-reader', 'extensions/a.yml', 1],
      ['rose', 'extensions/b.yaml', 1],
      ['tulip', 'extensions/b.yaml', 10],
      ['daisy', 'src/main/resources/extensions/c.yaml', 1],
    ]);
  });

  it('read the old key groupVersion as apiVersion, with a warning that names the place', async () => {
    const directory = path.join(FIXTURES, 'declares');
    const { instances, warnings } = await readDeclared(directory);
    const tulip = instances.find(({ object }) => object.metadata.name === 'tulip');
    expect(tulip?.object).toEqual({
      apiVersion: 'declares.example.com/v1',
      kind: 'Flower',
      metadata: { name: 'tulip' },
      spec: { petals: 6 },
    });
    const file = path.join(directory, 'extensions/b.yaml');
    expect(warnings).toEqual([`${file}:10: the key groupVersion is deprecated; use apiVersion`]);
  });

  it('may be none', async () => {
    expect(await readDeclared(await temporaryDirectory())).toEqual({ instances: [], warnings: [] });
  });

  it('of the example plugins are all in order', async () => {
    const all = await Promise.all(
      ['person', 'catalogue', 'bookmark'].map((name) => readDeclared(path.join(EXAMPLES, name))),
    );
    expect(all.map(({ instances }) => instances.length)).toEqual([3, 6, 2]);
    expect(all.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('name every fault of every file with its line', async () => {
    const directory = await temporaryDirectory();
    await writeFiles(directory, {
      'extensions/a.yaml': 'kind: Flower\nmetadata:\n  name: Not Fine\nspec: 1\n',
      'extensions/b.yaml': '- no mapping\n',
      'extensions/c.yaml': 'kind: [\n',
    });
    const place = (name: string) => path.join(directory, 'extensions', name);
    const message = await messageFrom(readDeclared(directory));
    expect(message.split('; ')).toEqual([
      `${place('a.yaml')}:1: apiVersion is required and must be a string`,
      `${place('a.yaml')}:3: metadata.name is required and must be a valid name`,
      `${place('a.yaml')}:4: spec must be a mapping`,
      `${place('b.yaml')}:1: must contain a mapping with apiVersion, kind and metadata`,
      expect.stringContaining(`${place('c.yaml')}:`),
    ]);
  });

  it('may have no spec', async () => {
    const directory = await temporaryDirectory();
    const bare = 'apiVersion: declares.example.com/v1\nkind: Flower\nmetadata:\n  name: bare\n';
    await writeFiles(directory, { 'extensions/a.yaml': bare, 'extensions/b.yaml': `${bare}spec:\n` });
    expect(await messageFrom(readDeclared(directory))).toBe(
      `${path.join(directory, 'extensions/b.yaml')}:5: spec must be a mapping`,
    );
    await writeFiles(directory, { 'extensions/b.yaml': '' });
    expect((await readDeclared(directory)).instances).toHaveLength(1);
  });

  it('must not use keys of the platform, except in a Role', async () => {
    const directory = await temporaryDirectory();
    const object = (kind: string) =>
      `apiVersion: access.platform.run/v1alpha1\nkind: ${kind}\nmetadata:\n  name: a\n  labels:\n    platform.run/x: y\nspec: {}\n`;
    await writeFiles(directory, { 'extensions/a.yaml': object('Role') });
    expect((await readDeclared(directory)).instances).toHaveLength(1);
    await writeFiles(directory, { 'extensions/a.yaml': object('User') });
    expect(await messageFrom(readDeclared(directory))).toContain('metadata.labels.platform.run/x');
  });
});

describe('role bindings that a plugin declares', () => {
  const access = (kind: string, rest: string): string =>
    `apiVersion: access.platform.run/v1alpha1\nkind: ${kind}\nmetadata: { name: a }\n${rest}\n`;
  const binding = (role: string): string =>
    access('RoleBinding', `roleRef: { kind: Role, name: ${role} }\nsubjects: [{ kind: User, name: ada }]`);

  it('may give roles of the plugin itself, wherever those stand', async () => {
    const directory = await temporaryDirectory();
    await writeFiles(directory, {
      'extensions/a.yaml': binding('a'),
      'extensions/b.yaml': access('Role', 'rules: []'),
    });
    expect((await readDeclared(directory)).instances).toHaveLength(2);
  });

  it('may not give any other role', async () => {
    const directory = await temporaryDirectory();
    await writeFiles(directory, { 'extensions/a.yaml': binding('admin') });
    expect(await messageFrom(readDeclared(directory))).toMatch(
      /a\.yaml:4: roleRef\.name: a plugin may bind only roles that it declares itself/,
    );
  });
});

async function messageFrom(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing was thrown',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
