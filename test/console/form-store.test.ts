import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FormStore } from '../../src/console/form/form-store.js';
import { below, findPath, ROOT, type Path } from '../../src/console/form/path.js';
import { countChanges } from '../../src/console/form/values-at.js';

const TEXT =
  'metadata:\n  name: a\nspec:\n  # as printed\n  words: 20\n  tags:\n    - one # first\n    - two\n';
const at = (...steps: Path): Path => steps.reduce<Path>(below, ROOT);

let written: string[];
const open = (text = TEXT): FormStore => new FormStore(text, (one) => written.push(one));

describe('the values of a form', () => {
  beforeEach(() => {
    written = [];
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it('are written at once for the first change, and then after a pause, with their comments', () => {
    const store = open();
    store.set(at('spec', 'words'), 21);
    expect(written).toEqual([TEXT.replace('20', '21')]);
    store.set(at('spec', 'words'), 22);
    store.set(at('spec', 'words'), 23);
    expect(written).toHaveLength(1);
    vi.advanceTimersByTime(100);
    expect(written[1]).toBe(TEXT.replace('20', '23'));
    store.set(at('spec', 'words'), 24);
    store.write();
    expect(written[2]).toBe(TEXT.replace('20', '24'));
    vi.advanceTimersByTime(1_000);
    expect(written).toHaveLength(3);
  });

  it('are reported only to those that a change concerns', () => {
    const store = open();
    const seen: string[] = [];
    for (const path of [at('spec'), at('spec', 'words'), at('spec', 'tags', 0), at('metadata', 'name')])
      store.subscribeTo(path, () => seen.push(path.join('.')));
    store.set(at('spec', 'words'), 21);
    expect(seen.sort()).toEqual(['spec', 'spec.words']);
    seen.length = 0;
    store.set(at('spec', 'tags', 0), undefined);
    expect(seen.sort()).toEqual(['metadata.name', 'spec', 'spec.tags.0', 'spec.words']);
    expect(store.get(at('spec', 'tags'))).toEqual(['two']);
  });

  it('are the same as those of the text after each kind of change', () => {
    const store = open();
    const check = (): void => {
      store.write();
      const again = new FormStore(store.text, () => undefined);
      expect(store.get(ROOT)).toEqual(again.get(ROOT));
    };
    store.change([
      [at('spec', 'place', 'city'), 'Ulm'],
      [at('spec', 'parts', 0), {}],
    ]);
    check();
    store.set(at('spec', 'parts', 0, 'heading'), 'First');
    check();
    store.set(at('spec', 'parts', 0, 'heading'), undefined);
    check();
    store.move(at('spec', 'tags'), 0, 1);
    check();
    expect(store.get(at('spec', 'tags'))).toEqual(['two', 'one']);
    store.rename(at('spec', 'place'), 'city', 'town');
    check();
    expect(store.text).toContain('town: Ulm');
    expect(store.text).toContain('- one # first');
    store.set(at('spec', 'place', 'town'), undefined);
    check();
    expect(store.get(at('spec', 'place'))).toBeUndefined();
  });

  it('are edited as the text of one of them, with its comments', () => {
    const store = open();
    expect(store.getText(at('spec', 'tags'))).toBe('- one # first\n- two');
    expect(store.setText(at('spec', 'tags'), '- three # new\n')).toBeUndefined();
    expect(store.get(at('spec', 'tags'))).toEqual(['three']);
    store.write();
    expect(store.text).toContain('- three # new');
    expect(store.setText(at('spec', 'tags'), '- "open')).toMatch(/quote/i);
    expect(store.get(at('spec', 'tags'))).toEqual(['three']);
  });

  it('keep a text that is no YAML in the place of its value', () => {
    const store = open();
    for (const text of ['- "op', '- "open'])
      expect(store.setText(at('spec', 'tags'), text)).toMatch(/quote/i);
    expect(store.getText(at('spec', 'tags'))).toBe('- "open');
    store.write();
    expect(store.text).toBe(TEXT.replace(/ {4}- one[^]*/, '').replace('tags:', 'tags: ') + '    - "open\n');
    expect(new FormStore(store.text, () => undefined).obstacle).toBe('syntax');
    expect(store.setText(at('spec', 'tags'), '- "closed"')).toBeUndefined();
    store.write();
    expect(store.text).toContain('    - "closed"\n');
    expect(new FormStore(store.text, () => undefined).obstacle).toBeUndefined();
  });

  it('are not changed while they are locked', () => {
    const store = open();
    store.isLocked = true;
    store.set(at('spec', 'words'), 1);
    store.move(at('spec', 'tags'), 0, 1);
    expect(written).toEqual([]);
    expect(store.get(at('spec', 'words'))).toBe(20n);
  });

  it('have the path of a name of the service, also with dots in keys', () => {
    const values = { metadata: { labels: { 'a.b/c': 'x' } }, spec: { lines: [{ count: 1 }] } };
    const store = open(JSON.stringify(values));
    const find = (name: string) => findPath(ROOT, store.get, name);
    expect(find('metadata.labels.a.b/c')).toBe(at('metadata', 'labels', 'a.b/c'));
    expect(find('spec.lines[0].count')).toBe(at('spec', 'lines', 0, 'count'));
    expect(find('spec.none.more')).toBe(at('spec'));
  });

  it('are counted where they differ', () => {
    const base = { a: 1, b: { c: 'x', d: [1, 2] } };
    expect(countChanges(base, base)).toBe(0);
    expect(countChanges(base, { a: 2, b: { c: 'x', d: [1, 3] }, e: 1 })).toBe(3);
  });
});
