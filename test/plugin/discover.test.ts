import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverPlugins, pluginDirectories } from '../../src/plugin/discover.js';
import { EXAMPLES, XSVC_VERSION, manifestText, temporaryDirectory, writeFiles } from './helpers.js';

const options = { xsvcVersion: XSVC_VERSION };

describe('discovery', () => {
  it('finds the example plugins by name', async () => {
    const { plugins, broken } = await discoverPlugins([EXAMPLES], options);
    expect(plugins.map((plugin) => plugin.name)).toEqual(['bookmark', 'catalogue', 'person']);
    expect(broken).toEqual([]);
  });

  it('takes a directory with a manifest for one plugin, whatever lies below it', async () => {
    const root = await temporaryDirectory();
    await writeFiles(root, {
      'plugin.yaml': manifestText('outer'),
      'inner/plugin.yaml': manifestText('inner'),
    });
    expect(await pluginDirectories(root)).toEqual([root]);
  });

  it('takes the sub-directories that have a manifest, sorted by name', async () => {
    const root = await temporaryDirectory();
    await writeFiles(root, {
      'b/plugin.yaml': manifestText('x'),
      'a/plugin.yaml': manifestText('y'),
      'c/readme.md': '',
      'deep/er/plugin.yaml': manifestText('z'),
    });
    expect(await pluginDirectories(root)).toEqual([path.join(root, 'a'), path.join(root, 'b')]);
  });

  it('counts a directory that was given twice once', async () => {
    const { plugins } = await discoverPlugins([EXAMPLES, path.join(EXAMPLES, 'person')], options);
    expect(plugins).toHaveLength(3);
  });

  it('refuses a missing directory unless it is the default one', async () => {
    const missing = path.join(await temporaryDirectory(), 'none');
    await expect(discoverPlugins([missing], options)).rejects.toThrow(`${missing} does not exist`);
    const found = await discoverPlugins([missing], { ...options, defaultDirectory: missing });
    expect(found).toEqual({ plugins: [], broken: [] });
  });

  it('refuses two plugins of one name and names both directories', async () => {
    const root = await temporaryDirectory();
    await writeFiles(root, {
      'one/plugin.yaml': manifestText('same'),
      'two/plugin.yaml': manifestText('same'),
    });
    const problem = `Two plugins are named "same": ${path.join(root, 'one')} and ${path.join(root, 'two')}`;
    await expect(discoverPlugins([root], options)).rejects.toThrow(problem);
  });

  it('sets a plugin with a bad manifest aside and finds the others', async () => {
    const root = await temporaryDirectory();
    await writeFiles(root, { 'bad/plugin.yaml': 'kind: [', 'good/plugin.yaml': manifestText('good') });
    const { plugins, broken } = await discoverPlugins([root], options);
    expect(plugins.map((plugin) => plugin.name)).toEqual(['good']);
    expect(broken).toMatchObject([{ name: 'bad', directory: path.join(root, 'bad') }]);
  });

  it('knows the name of a plugin that only fits another version of xsvc', async () => {
    const root = await temporaryDirectory();
    await writeFiles(root, { 'folder/plugin.yaml': manifestText('future', "  requires: '>=9'\n") });
    expect((await discoverPlugins([root], options)).broken).toMatchObject([{ name: 'future' }]);
  });
});
