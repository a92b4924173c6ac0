import { describe, expect, it } from 'vitest';
import { humanize } from '../../src/console/lib/naming.js';

describe('the name of a field for people', () => {
  it.each([
    ['publishedAt', 'Published at'],
    ['sku', 'SKU'],
    ['imageUrl', 'Image URL'],
    ['imageURL', 'Image URL'],
    ['userId', 'User ID'],
    ['urlOfImage', 'URL of image'],
    ['HTTPPort', 'HTTP port'],
    ['ip-address', 'IP address'],
    ['identity', 'Identity'],
    ['valid', 'Valid'],
  ])('of %s is %s', (name, words) => {
    expect(humanize(name)).toBe(words);
  });
});
