import { describe, expect, it } from 'vitest';
import { isPluginName, parseManifest, readManifest, satisfies } from '../../src/plugin/manifest/manifest.js';
import { XSVC_VERSION, manifestText, temporaryDirectory } from './helpers.js';

const parse = (text: string) => parseManifest(text, 'my/plugin.yaml', XSVC_VERSION);

describe('the manifest', () => {
  it('is read with its defaults filled in', () => {
    expect(parse(manifestText('shop', '  description: A shop\n'))).toEqual({
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'Plugin',
      metadata: { name: 'shop' },
      spec: { description: 'A shop', version: '0.0.0', enabled: true, pluginDependencies: {} },
    });
  });

  it('keeps every field that the contract names', () => {
    const spec = `  displayName: Shop
  version: 1.2.3-rc.1
  requires: '>=0.1.0 <2'
  main: main.ts
  enabled: false
  pluginDependencies: { store: ^2.0.0 }
  author: { name: Ann, website: https://example.com }
  license: [{ name: MIT, url: https://example.com/mit }]
  logo: logo.svg
  homepage: https://example.com/home
  repo: https://example.com/repo
  issues: https://example.com/issues
`;
    expect(parse(manifestText('shop', spec)).spec).toEqual({
      displayName: 'Shop',
      version: '1.2.3-rc.1',
      requires: '>=0.1.0 <2',
      main: 'main.ts',
      enabled: false,
      pluginDependencies: { store: '^2.0.0' },
      author: { name: 'Ann', website: 'https://example.com' },
      license: [{ name: 'MIT', url: 'https://example.com/mit' }],
      logo: 'logo.svg',
      homepage: 'https://example.com/home',
      repo: 'https://example.com/repo',
      issues: 'https://example.com/issues',
    });
  });

  it('names every fault at once, each with its line', () => {
    const text = `apiVersion: v2
kind: Plugins
metadata:
  name: My Plugin
spec:
  version: 1.0
  enabled: 'yes'
  pluginDependencies:
    other: not a range
  license:
    - url: https://example.com
`;
    const message = messageFrom(() => parse(text));
    expect(message.split('; ').map((fault) => fault.split(': ').slice(0, 2).join(': '))).toEqual([
      'my/plugin.yaml:1: apiVersion',
      'my/plugin.yaml:2: kind',
      'my/plugin.yaml:4: metadata.name',
      'my/plugin.yaml:11: spec.license[0].name',
      'my/plugin.yaml:7: spec.enabled',
      'my/plugin.yaml:6: spec.version',
      'my/plugin.yaml:9: spec.pluginDependencies.other',
    ]);
    expect(message).toContain('put it in quotes');
  });

  it('must be one mapping', () => {
    expect(() => parse('- a list')).toThrow('my/plugin.yaml:1: must contain a mapping');
    expect(() => parse('')).toThrow('must contain a mapping');
    expect(() => parse(`${manifestText('a')}---\nkind: Plugin\n`)).toThrow('must contain one document only');
    expect(() => parse('a: [')).toThrow('my/plugin.yaml:1:');
  });

  it('is refused when it requires another version of xsvc', () => {
    expect(() => parse(manifestText('a', "  requires: '>=2'\n"))).toThrow(
      'needs xsvc >=2, but this is xsvc 0.1.0',
    );
    expect(() => parse(manifestText('a', '  requires: soon\n'))).toThrow('"soon" is not a version range');
  });

  it('says which file cannot be read', async () => {
    const directory = await temporaryDirectory();
    await expect(readManifest(directory, XSVC_VERSION)).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(directory) as string,
    });
  });
});

describe('a plugin name', () => {
  it('follows the rule of metadata.name up to its limit', () => {
    expect(isPluginName('a'.repeat(253))).toBe(true);
    expect(isPluginName('a'.repeat(254))).toBe(false);
    expect(['a', 'a-1', '1a'].every(isPluginName)).toBe(true);
    expect(['', 'A', '-a', 'a-', 'a.b', 1, undefined].some(isPluginName)).toBe(false);
  });
});

describe('a range of versions', () => {
  it('accepts a pre-release of what it accepts', () => {
    expect(satisfies('0.2.0-beta.1', '>=0.1.0')).toBe(true);
    expect(satisfies('0.0.9', '>=0.1.0')).toBe(false);
  });
});

function messageFrom(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('nothing was thrown');
}
