import { expect, it } from 'vitest';
import { Newest } from '../../src/store/text/newest.js';

it('the newest segment of an object is known also among hundreds of segments', () => {
  const newest = new Newest();
  for (const segment of [255, 256, 65_535]) newest.set(segment + 7, segment);
  const copy = newest.clone();
  newest.set(262, 1);
  expect([262, 263, 65_542, 5].map((id) => copy.get(id))).toEqual([255, 256, 65_535, 0]);
  expect(newest.get(262)).toBe(1);
});
