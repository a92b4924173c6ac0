import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/plugin/manifest/manifest.js';
import { orderPlugins } from '../../src/plugin/order.js';
import { XSVC_VERSION, manifestText } from './helpers.js';

function plugin(name: string, dependencies: Record<string, string> = {}, version = '1.0.0') {
  const spec = `  version: ${version}\n  pluginDependencies: ${JSON.stringify(dependencies)}\n`;
  return { name, manifest: parseManifest(manifestText(name, spec), 'plugin.yaml', XSVC_VERSION) };
}

function names(plugins: readonly { name: string }[]): string[] {
  return plugins.map(({ name }) => name);
}

describe('the starting order', () => {
  it('is by name where nothing depends on anything', () => {
    expect(names(orderPlugins([plugin('c'), plugin('a'), plugin('b')]).order)).toEqual(['a', 'b', 'c']);
  });

  it('puts dependencies first, then goes by name', () => {
    const plugins = [plugin('a', { z: '*' }), plugin('b'), plugin('y', { a: '*' }), plugin('z')];
    expect(names(orderPlugins(plugins).order)).toEqual(['b', 'z', 'a', 'y']);
  });

  it('leaves out a plugin whose dependency is missing or has another version', () => {
    const { order, failures } = orderPlugins([
      plugin('a', { none: '*' }),
      plugin('b', { c: '^2.0.0' }),
      plugin('c'),
    ]);
    expect(names(order)).toEqual(['c']);
    expect(Object.fromEntries(failures)).toEqual({
      a: 'depends on plugin "none", which is not installed',
      b: 'depends on plugin "c" ^2.0.0, but 1.0.0 is installed',
    });
  });

  it('names the whole cycle, to each plugin from its own place', () => {
    const { order, failures } = orderPlugins([
      plugin('a', { b: '*' }),
      plugin('b', { c: '*' }),
      plugin('c', { a: '*' }),
      plugin('d', { a: '*' }),
      plugin('self', { self: '*' }),
    ]);
    expect(names(order)).toEqual(['d']);
    expect(Object.fromEntries(failures)).toEqual({
      a: 'is part of a dependency cycle: a -> b -> c -> a',
      b: 'is part of a dependency cycle: b -> c -> a -> b',
      c: 'is part of a dependency cycle: c -> a -> b -> c',
      self: 'is part of a dependency cycle: self -> self',
    });
  });
});
