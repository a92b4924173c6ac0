import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { INSTALL_LIMITS } from '../../src/cli/install/source.js';
import { readArchive } from '../../src/cli/install/tar.js';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { paxEntry, tarGz, type TarEntry } from '../helpers/tar.js';

afterAll(removeDirectories);

const manifest = (name = 'pets', version = '1.0.0'): string =>
  `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ${name} }\nspec: { version: ${version} }\n`;
const MAIN = `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class Pet extends AbstractExtension { static schema = { type: 'object' }; }
GVK({ group: 'pets.example.com', version: 'v1', kind: 'Pet', plural: 'pets', singular: 'pet' })(Pet);
export default class extends BasePlugin { start() { this.ctx.schemeManager.register(Pet); } }
`;
const GOOD: readonly TarEntry[] = [
  { path: 'package/', type: '5' },
  { path: 'package/plugin.yaml', content: manifest() },
  { path: 'package/index.js', content: MAIN },
  { path: 'package/public/a.html', content: '<p>' },
];

let cwd = '';
beforeEach(() => (cwd = temporaryDirectory()));

const xsvc = (line: string, env?: Readonly<Record<string, string>>): Promise<CliResult> =>
  runCli(line.split(' '), { cwd, ...(env && { env }) });
const put = (entries: readonly TarEntry[], file = 'a.tgz'): void =>
  writeFileSync(path.join(cwd, file), tarGz(entries));
const installed = (): string[] =>
  existsSync(path.join(cwd, 'plugins')) ? readdirSync(path.join(cwd, 'plugins')) : [];

/** Nothing half done is left after a refusal. */
async function expectRefused(
  line: string,
  code: number,
  reason: string,
  left: readonly string[] = [],
): Promise<void> {
  const result = await xsvc(line);
  expect([result.code, result.out]).toEqual([code, '']);
  expect(result.err).toContain(reason);
  expect(installed()).toEqual(left);
}

describe('xsvc plugin install', () => {
  it('installs an archive as npm packs it, which is then a plugin', async () => {
    put(GOOD);
    expect(await xsvc('plugin install a.tgz')).toMatchObject({
      code: 0,
      out: 'plugins/pets 1.0.0 installed in plugins/pets\n',
      err: 'a service with --watch loads it now; others load it at their next start\n',
    });
    expect(installed()).toEqual(['pets']);
    expect(readFileSync(path.join(cwd, 'plugins/pets/public/a.html'), 'utf8')).toBe('<p>');
    expect((await xsvc('plugin list')).out).toMatch(/^pets +PENDING +1\.0\.0/m);
  });

  it('installs a directory, without what belongs to its sources alone', async () => {
    await putFiles(cwd, {
      'src/plugin.yaml': manifest(),
      'src/index.js': MAIN,
      'src/.git/HEAD': 'x',
      'src/node_modules/dep/index.js': 'x',
    });
    mkdirSync(path.join(cwd, 'src/node_modules/.bin'));
    symlinkSync('../dep/index.js', path.join(cwd, 'src/node_modules/.bin/dep'));
    expect((await xsvc('plugin install src')).code).toBe(0);
    expect(readdirSync(path.join(cwd, 'plugins/pets')).sort()).toEqual([
      'index.js',
      'node_modules',
      'plugin.yaml',
    ]);
    expect(readdirSync(path.join(cwd, 'plugins/pets/node_modules'))).toEqual(['dep']);
  });

  it('replaces a plugin only with --force, and keeps the old one when the new one is refused', async () => {
    put(GOOD);
    await xsvc('plugin install a.tgz');
    await expectRefused('plugin install a.tgz', 4, '--force replaces it', ['pets']);
    put([{ path: 'plugin.yaml', content: manifest('pets', '2.0.0') }], 'bad.tgz');
    await expectRefused('plugin install bad.tgz --force', 5, 'No main module in the plugin', ['pets']);
    put(
      [
        { path: 'plugin.yaml', content: manifest('pets', '2.0.0') },
        { path: 'index.js', content: MAIN },
      ],
      'b.tgz',
    );
    expect((await xsvc('plugin install b.tgz --force')).out).toContain('2.0.0');
    expect(installed()).toEqual(['pets']);
    expect(existsSync(path.join(cwd, 'plugins/pets/public'))).toBe(false);
  });

  it('names the packages that are missing', async () => {
    put([...GOOD, { path: 'package/package.json', content: '{"dependencies":{"left-pad":"1","xsvc":"1"}}' }]);
    expect((await xsvc('plugin install a.tgz')).err).toContain('it needs packages (left-pad): (cd ');
  });

  it.each([
    ['a path out of it', { path: '../evil.js' }, 'leads out of the plugin'],
    ['a path out of it in the middle', { path: 'package/x/../../../evil.js' }, 'leads out of the plugin'],
    ['an absolute path', { path: '/tmp/evil.js' }, 'is absolute'],
    ['a path of another system', { path: 'C:/evil.js' }, 'is absolute'],
    ['a backslash', { path: 'package\\..\\evil.js' }, 'backslashes'],
    ['a symbolic link', { path: 'package/link', type: '2', link: '/etc/passwd' }, 'is a link or a device'],
    ['a hard link', { path: 'package/link', type: '1', link: '/etc/passwd' }, 'is a link or a device'],
    ['a device', { path: 'package/null', type: '3' }, 'is a link or a device'],
    ['a file twice', { path: 'package/INDEX.js' }, 'is in the archive twice'],
  ] as const)('refuses an archive with %s', async (_, entry, reason) => {
    put([...GOOD, entry]);
    await expectRefused('plugin install a.tgz', 5, reason);
    expect(existsSync(path.join(cwd, 'evil.js'))).toBe(false);
  });

  it('refuses a path out of it in an extended head', async () => {
    put([...GOOD, paxEntry({ path: '../../evil.js' }), { path: 'package/fine.js' }]);
    await expectRefused('plugin install a.tgz', 5, 'leads out of the plugin');
    put([...GOOD, paxEntry({ linkpath: '/etc/passwd' }), { path: 'package/fine.js' }]);
    await expectRefused('plugin install a.tgz', 5, 'or a link');
  });

  it('refuses a manifest with errors, and pages that are missing', async () => {
    put([
      { path: 'plugin.yaml', content: manifest('../../evil') },
      { path: 'index.js', content: MAIN },
    ]);
    await expectRefused('plugin install a.tgz', 5, 'plugin.yaml:3: metadata.name');
    const pages = '  console: { pages: [{ title: A, path: a.html, placement: sidebar }] }\n';
    const text = `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: a }\nspec:\n${pages}`;
    put([
      { path: 'plugin.yaml', content: text },
      { path: 'index.js', content: MAIN },
    ]);
    await expectRefused('plugin install a.tgz', 5, 'there is no file public/a.html');
    put([{ path: 'index.js', content: MAIN }]);
    await expectRefused('plugin install a.tgz', 5, 'Cannot read the manifest plugin.yaml');
  });

  it('refuses sources that are none, and never runs a name as an option', async () => {
    await expectRefused('plugin install ./nothing.tgz', 3, 'there is no file or directory');
    await expectRefused('plugin install nothing.tgz', 3, 'there is no file or directory');
    await expectRefused('plugin install http://127.0.0.1/a.tgz', 2, 'only loaded over https');
    await expectRefused('plugin install https://127.0.0.1:1/a.tgz', 2, 'needs --sha256');
    await expectRefused('plugin install git+ssh://x/y', 2, 'neither a file');
    await expectRefused('plugin install file:../x', 2, 'neither a file');
    await expectRefused(
      `plugin install https://127.0.0.1:1/a.tgz --sha256 ${'0'.repeat(64)}`,
      6,
      'cannot load',
    );
    writeFileSync(path.join(cwd, 'text.tgz'), 'no archive');
    await expectRefused('plugin install text.tgz', 5, 'it is not a .tgz archive');
  });

  it('refuses a link in a directory', async () => {
    await putFiles(cwd, { 'src/plugin.yaml': manifest(), 'src/index.js': MAIN });
    symlinkSync('/etc', path.join(cwd, 'src/etc'));
    await expectRefused('plugin install src', 5, '"etc" is a link');
  });

  it('asks npm of the user for a package, without its scripts', async () => {
    put([...GOOD], 'packed.tgz');
    const npm = `#!/bin/sh\necho "$@" > ${cwd}/asked\nfor last; do :; done\ncp ${cwd}/packed.tgz "$last/a.tgz"\n`;
    await putFiles(cwd, { 'bin/npm': npm });
    await chmod(path.join(cwd, 'bin/npm'), 0o755);
    const before = process.env.PATH;
    process.env.PATH = `${path.join(cwd, 'bin')}:${before ?? ''}`;
    try {
      expect((await xsvc('plugin install @example/pets@^1.0.0')).code).toBe(0);
    } finally {
      process.env.PATH = before;
    }
    expect(readFileSync(path.join(cwd, 'asked'), 'utf8')).toMatch(
      /^pack @example\/pets@\^1\.0\.0 --ignore-scripts --silent --pack-destination \S+\n$/,
    );
  });

  it('does not install beside another plugin of the name, or into a plugin', async () => {
    put(GOOD);
    await putFiles(cwd, { 'plugins/other/plugin.yaml': manifest(), 'plugins/other/index.js': MAIN });
    await expectRefused('plugin install a.tgz --force', 4, 'is installed in', ['other']);
    await expectRefused('plugin install a.tgz --plugins plugins/other', 2, 'is itself a plugin', ['other']);
  });

  it('says what an interrupted command has left', async () => {
    put(GOOD);
    await mkdir(path.join(cwd, 'plugins/.xsvc-install-abc/old'), { recursive: true });
    await expectRefused('plugin install a.tgz', 4, 'was interrupted', ['.xsvc-install-abc']);
  });
});

describe('an archive', () => {
  const limits = { bytes: 10_240, files: 3 };

  it('may have as many files and bytes as the limits say, and no more', async () => {
    const files = (count: number): TarEntry[] => Array.from({ length: count }, (_, i) => ({ path: `f${i}` }));
    expect(await readArchive(tarGz(files(3)), limits)).toHaveLength(3);
    await expect(readArchive(tarGz(files(4)), limits)).rejects.toThrow('more than 3 files');
    // Its head and its end have 1,536 bytes.
    const content = (bytes: number): Buffer => tarGz([{ path: 'f', content: 'x'.repeat(bytes) }]);
    expect(await readArchive(content(10_240 - 1_536), limits)).toHaveLength(1);
    await expect(readArchive(content(10_240 - 1_535), limits)).rejects.toThrow('more than 10240 bytes');
    expect(INSTALL_LIMITS.bytes).toBeGreaterThan(INSTALL_LIMITS.zipped);
  });

  it('may have long names, in the form of POSIX or GNU', async () => {
    const long = `${'d/'.repeat(100)}ä.js`;
    const [first] = await readArchive(tarGz([paxEntry({ mtime: '1', path: long }), { path: 'x' }]), limits);
    expect(first?.path).toBe(long);
    const gnu = { path: '././@LongLink', type: 'L', content: `${long}\0` };
    const [second] = await readArchive(tarGz([gnu, { path: 'x', content: 'y' }]), limits);
    expect([second?.path, second?.bytes.toString()]).toEqual([long, 'y']);
  });

  it('is refused when it is damaged', async () => {
    const { gunzipSync, gzipSync } = await import('node:zlib');
    const whole = gunzipSync(tarGz([{ path: 'f', content: 'x'.repeat(600) }]));
    const changed = Buffer.from(whole);
    changed[0] = 65;
    await expect(readArchive(gzipSync(changed), limits)).rejects.toThrow('a checksum is wrong');
    await expect(readArchive(gzipSync(whole.subarray(0, 1_000)), limits)).rejects.toThrow(
      'ends within a file',
    );
    await expect(
      readArchive(tarGz([{ path: 'p', type: 'x', content: '99 path=x\n' }]), limits),
    ).rejects.toThrow('malformed extended head');
  });
});

describe('xsvc plugin remove', () => {
  beforeEach(async () => {
    put(GOOD);
    await xsvc('plugin install a.tgz');
  });

  it('removes the files, and says which objects stay', async () => {
    await putFiles(cwd, {
      'pet.yaml': 'apiVersion: pets.example.com/v1\nkind: Pet\nmetadata: { name: rex }\n',
    });
    await expectRefused('plugin remove pets', 2, 'its models are unknown here', ['pets']);
    expect(await xsvc('plugin remove pets --yes')).toMatchObject({ code: 0, out: 'plugins/pets removed\n' });
    expect(installed()).toEqual([]);
    await expectRefused('plugin remove pets --yes', 3, 'no plugin is named "pets"');
  });

  it('keeps a plugin that others need', async () => {
    const zoo = manifest('zoo').replace('spec: {', 'spec: { pluginDependencies: { pets: "*" },');
    await putFiles(cwd, { 'plugins/zoo/plugin.yaml': zoo, 'plugins/zoo/index.js': MAIN });
    await expectRefused('plugin remove pets --yes', 4, 'is needed by "zoo"', ['pets', 'zoo']);
  });
});
