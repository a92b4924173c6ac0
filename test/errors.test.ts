import { describe, expect, it } from 'vitest';
import { formatExcerpt, invalid, listCauses, shortPath, type Cause } from '../src/errors.js';

const cause = (field: string, message: string): Cause => ({ field, reason: 'FieldValueInvalid', message });

describe('excerpt', () => {
  it('is the text itself up to 100 characters, and the first 100 of a longer one', () => {
    expect(formatExcerpt('x'.repeat(100))).toBe('x'.repeat(100));
    expect(formatExcerpt('x'.repeat(101))).toBe(`${'x'.repeat(100)}...`);
  });

  it('cuts no character in halves', () => {
    expect(formatExcerpt(`${'x'.repeat(99)}😀😀`)).toBe(`${'x'.repeat(99)}...`);
    expect(formatExcerpt('😀'.repeat(51))).toBe(`${'😀'.repeat(50)}...`);
  });
});

describe('shortPath', () => {
  it('leaves the paths of declared fields, and cuts long keys', () => {
    const deep = 'spec.template.containers[0].'.repeat(10).slice(0, -1);
    expect(shortPath(deep)).toBe(deep);
    expect(shortPath(`spec.${'x'.repeat(500)}.a`)).toBe(`spec.${'x'.repeat(100)}....a`);
    expect(shortPath('x.'.repeat(1000)).length).toBeLessThan(510);
  });
});

describe('the causes in a message', () => {
  it('are all there while there are few', () => {
    expect(listCauses([cause('a', 'is required'), cause('', 'is no object')])).toBe(
      'a: is required; is no object',
    );
    expect(invalid('Person "ann"', [cause('spec.age', 'is required')]).message).toBe(
      'Person "ann" is invalid: spec.age: is required',
    );
  });

  it('are the first ones, and the number of the others', () => {
    const causes = Array.from({ length: 200 }, (_, i) => cause(`spec.f${i}`, 'is required'));
    const { message, details } = invalid('Person "ann"', causes);
    expect(message).toMatch(/^Person "ann" is invalid: spec\.f0: is required; .*; and \d+ more$/);
    expect(message.length).toBeLessThan(1_000);
    expect(details.causes).toHaveLength(200);
    expect(listCauses([cause('a', 'x'.repeat(2_000)), cause('b', 'y')])).toMatch(/^a: x+; and 1 more$/);
  });
});
