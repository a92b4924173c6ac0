import { describe, expect, it } from 'vitest';
import { getLists } from '../../src/console/pages/list/export/chosen.js';
import { affectedBy } from '../../src/console/pages/plugins/affected.js';

describe('the lists of chosen objects', () => {
  it('have these alone, in the order of the list that they were chosen from', () => {
    const list = new URLSearchParams('filter=spec.a == 1&sort=spec.a,desc');
    expect(getLists(['a', 'b'], list).map(String)).toEqual([
      String(new URLSearchParams({ fieldSelector: 'metadata.name in (a,b)', sort: 'spec.a,desc' })),
    ]);
  });

  it('are several where the names do not fit into one URL, and have each name once', () => {
    const names = Array.from({ length: 100 }, (_, i) => `${i}-`.padEnd(253, 'x'));
    const parts = getLists(names, new URLSearchParams()).map((list) => list.get('fieldSelector') ?? '');
    expect(parts.every((part) => part.length < 4_500)).toBe(true);
    expect(parts.flatMap((part) => part.replace(/^.*\(|\)$/g, '').split(','))).toEqual(names);
  });
});

describe('the stop of a plugin', () => {
  const plugin = (name: string, needs: readonly string[], ...models: readonly string[]) => ({
    name,
    needs,
    models,
  });
  const base = plugin('base', [], 'a', 'b');
  const all = [
    base,
    plugin('far', ['near'], 'f'),
    plugin('near', ['base'], 'n'),
    plugin('other', [], 'o'),
    plugin('idle', ['base']),
  ];

  it('affects its models, and those of running plugins that need it, directly or not', () => {
    expect(affectedBy(base, all)).toEqual({ dependents: ['far', 'near'], models: ['a', 'b', 'f', 'n'] });
  });

  it('affects only its models when no plugin needs it', () => {
    expect(affectedBy(plugin('other', [], 'o'), all)).toEqual({ dependents: [], models: ['o'] });
  });
});
