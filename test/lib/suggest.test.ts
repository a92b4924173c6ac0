import { describe, expect, it } from 'vitest';
import { editDistance, suggest } from '../../src/lib/suggest.js';

describe('suggest', () => {
  it('finds the nearest name, whatever its case', () => {
    expect(suggest('ownr', ['order', 'owner', 'age'])).toBe('owner');
    expect(suggest('DisplayNmae', ['displayName', 'display'])).toBe('displayName');
    expect(suggest('persns', ['person', 'persons'])).toBe('persons');
    expect(suggest('aeg', ['age'])).toBe('age');
  });

  it('suggests nothing when nothing is near', () => {
    expect(suggest('colour', ['age', 'owner'])).toBeUndefined();
    expect(suggest('x', ['y'])).toBeUndefined();
    expect(suggest('', ['a'])).toBeUndefined();
    expect(suggest('x'.repeat(1000), ['x'.repeat(1001)])).toBeUndefined();
  });

  it('counts edits', () => {
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('ab', 'ba')).toBe(1);
  });
});
