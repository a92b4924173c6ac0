import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const MANIFEST = `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata:
  name: pets
spec:
  version: 1.2.3
`;

/** A plugin that leaves a file behind when it is deleted for good. */
const MAIN = `import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class Pet extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object', properties: { legs: { type: 'integer' } } } } };
}
GVK({ group: 'pets.example.com', version: 'v1', kind: 'Pet', plural: 'pets', singular: 'pet' })(Pet);
export default class Pets extends BasePlugin {
  start() { this.ctx.schemeManager.register(Pet); }
  delete() { writeFileSync(path.join(import.meta.dirname, 'deleted'), 'for good'); }
}
`;

const PET = (name: string, finalizers = '') =>
  `apiVersion: pets.example.com/v1\nkind: Pet\nmetadata:\n  name: ${name}\n${finalizers}spec: { legs: 4 }\n`;

let cwd = '';

beforeEach(async () => {
  cwd = temporaryDirectory();
  await putFiles(cwd, {
    'plugins/pets/plugin.yaml': MANIFEST,
    'plugins/pets/index.js': MAIN,
    'pets.yaml': `${PET('rex', '  finalizers: [pets.example.com/hold]\n')}---\n${PET('tom')}`,
  });
});

const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });

describe('xsvc plugin', () => {
  it('lists installed plugins with the reason why they do not run, also before a first start', async () => {
    expect(await xsvc('plugin list')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^NAME +PHASE +VERSION +MESSAGE +AGE\npets +PENDING +1\.2\.3 +was never served +<unknown>\n$/,
      ) as string,
    });
    expect(existsSync(path.join(cwd, '.xsvc'))).toBe(false);
  });

  it('takes plugins from where npm installs them, in TypeScript too', async () => {
    await putFiles(cwd, {
      'node_modules/xsvc-pets/plugin.yaml': MANIFEST,
      'node_modules/xsvc-pets/index.ts': MAIN.replace('start()', 'override start(): void'),
      'node_modules/other/index.js': '',
    });
    for (const directory of ['node_modules', 'node_modules/xsvc-pets']) {
      expect((await xsvc(`plugin list --plugins ${directory}`)).out).toMatch(/^pets +PENDING/m);
      expect(
        await xsvc(`apply -f pets.yaml --data-dir ${directory}/store --plugins ${directory}`),
      ).toMatchObject({
        code: 0,
      });
    }
  });

  it('says that the store cannot be opened, rather than that it knows no plugin', async () => {
    await putFiles(cwd, { '.xsvc/data.mdb': 'this is no store' });
    expect(await xsvc('plugin list')).toMatchObject({
      code: 6,
      out: '',
      err: expect.stringMatching(/^error: /) as string,
    });
  });

  it('switches a plugin off and on, and says when it is so already', async () => {
    expect(await xsvc('plugin disable pets')).toMatchObject({ code: 0, out: 'plugins/pets disabled\n' });
    expect(await xsvc('plugin disable pets')).toMatchObject({ out: 'plugins/pets disabled already\n' });
    expect(await xsvc('apply -f pets.yaml')).toMatchObject({
      code: 6,
      err: expect.stringContaining('the plugin that declares Pet is not loaded') as string,
    });
    expect(await xsvc('plugin enable pets')).toMatchObject({ out: 'plugins/pets enabled\n' });
    expect(await xsvc('apply -f pets.yaml')).toMatchObject({ code: 0 });
  });

  it('refuses a name that no plugin has and suggests the near one', async () => {
    const { code, err } = await xsvc('plugin disable pest');
    expect([code, err]).toEqual([
      3,
      'error: no plugin is named "pest": installed are pets, did you mean "pets"?\n',
    ]);
  });
});

describe('xsvc plugin uninstall', () => {
  beforeEach(async () => {
    expect(await xsvc('apply -f pets.yaml')).toMatchObject({ code: 0 });
  });

  it('needs a flag for the objects, and asks before it acts', async () => {
    expect(await xsvc('plugin uninstall pets')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--keep, --export DIR or --purge') as string,
    });
    const { code, err } = await xsvc('plugin uninstall pets --purge');
    expect(code).toBe(2);
    expect(err).toContain(
      'pets.pets.example.com/v1: 2 objects would be removed, whatever finalizers they have',
    );
    expect(err).toContain('confirm with --yes');
    expect((await xsvc('get pets -o name')).out).toBe('pets/rex\npets/tom\n');
  });

  it('keeps the objects, calls delete(), and leaves the plugin switched off', async () => {
    expect(await xsvc('plugin uninstall pets --keep --yes')).toMatchObject({
      code: 0,
      out: 'plugins/pets uninstalled\n',
    });
    expect(readFileSync(path.join(cwd, 'plugins/pets/deleted'), 'utf8')).toBe('for good');
    expect((await xsvc('get pets -o name')).out).toBe('pets/rex\npets/tom\n');
    expect((await xsvc('get plugins.plugin.platform.run pets -o json')).out).toContain('"enabled": false');
  });

  it('exports the objects to files that can be applied again, and removes them', async () => {
    expect(await xsvc('plugin uninstall pets --export out --yes')).toMatchObject({ code: 0 });
    for (const name of readdirSync(path.join(cwd, 'out')))
      expect([name, statSync(path.join(cwd, 'out', name)).mode & 0o777]).toEqual([name, 0o600]);
    expect((await xsvc('get pets -o name')).out).toBe('');
    const file = path.join(cwd, 'out/pets.pets.example.com.v1.yaml');
    expect(readFileSync(file, 'utf8')).not.toMatch(/uid|resourceVersion|creationTimestamp/);
    await xsvc('plugin enable pets');
    expect((await xsvc('apply -f out')).out).toBe('pets/rex created\npets/tom created\n');
  });

  it('removes everything with --purge, finalizers or not', async () => {
    expect(await xsvc('plugin uninstall pets --purge --yes')).toMatchObject({ code: 0 });
    expect((await xsvc('get pets -o name')).out).toBe('');
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });

  it('does not uninstall a plugin that others need, and leaves it switched on', async () => {
    await putFiles(cwd, {
      'plugins/zoo/plugin.yaml': `${MANIFEST.replace('pets', 'zoo')}  pluginDependencies: { pets: '*' }\n`,
      'plugins/zoo/index.js': `import { BasePlugin } from 'xsvc';\nexport default class extends BasePlugin {}\n`,
    });
    expect(await xsvc('plugin uninstall pets --keep --yes')).toMatchObject({
      code: 4,
      err: expect.stringContaining('is needed by "zoo"') as string,
    });
    expect((await xsvc('plugin list -o json')).out).not.toContain('"enabled": false');
  });
});

describe('objects of a plugin that is gone', () => {
  it('are read, and removed when a caller overrules their finalizers', async () => {
    await xsvc('apply -f pets.yaml');
    await xsvc('plugin disable pets');
    expect((await xsvc('get pets -o name')).out).toBe('pets/rex\npets/tom\n');
    expect(await xsvc('delete pets tom')).toMatchObject({ code: 0, out: 'pets/tom deleted\n' });
    expect(await xsvc('delete pets rex')).toMatchObject({
      code: 6,
      err: expect.stringContaining('the plugin that declares Pet is not loaded') as string,
    });
    expect(await xsvc('delete pets rex --force-finalizers')).toMatchObject({ code: 2 });
    expect(await xsvc('delete pets rex --force-finalizers --yes')).toMatchObject({
      code: 0,
      out: 'pets/rex deleted\n',
    });
    expect((await xsvc('get pets -o name')).out).toBe('');
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });
});
