import { expect, it } from 'vitest';
import { NumberedIds } from '../../src/list/order/numbered-ids.js';

function numberedOf(ids: readonly number[], most = ids.length): NumberedIds {
  const numbered = new NumberedIds(most);
  for (const id of ids) numbered.add(id);
  return numbered;
}

it.each([
  { title: 'no id', ids: [] },
  { title: 'one id', ids: [42] },
  { title: 'ids in a row', ids: Array.from({ length: 1_000 }, (_, i) => i) },
  { title: 'ids that fill the table as far as it goes', ids: Array.from({ length: 1_024 }, (_, i) => 7 * i) },
  {
    title: 'ids that differ in their upper bits only',
    ids: Array.from({ length: 300 }, (_, i) => i * 2 ** 32),
  },
  { title: 'the largest ids', ids: [2 ** 46 - 1, 2 ** 46 - 2, 2 ** 31, 2 ** 32 - 1, 2 ** 32] },
])('numbers $title in the order in which they come, and finds each again', ({ ids }) => {
  const numbered = numberedOf(ids);
  expect(numbered.size).toBe(ids.length);
  expect(ids.map((id) => numbered.findNumber(id))).toEqual(ids.map((_, i) => i));
  expect(ids.map((_, i) => numbered.idAt(i))).toEqual(ids);
});

it('knows no id that was not added, and may be given fewer than were announced', () => {
  const numbered = numberedOf([5, 3, 9], 100);
  expect(numbered.size).toBe(3);
  expect(numbered.findNumber(9)).toBe(2);
  expect(numbered.findNumber(4)).toBeUndefined();
  expect(numbered.findNumber(0)).toBeUndefined();
});

it('forgets the last ids, and knows the others as before', () => {
  const numbered = numberedOf([5, 3, 9, 7]);
  numbered.cut(2);
  expect(numbered.size).toBe(2);
  expect([5, 3, 9, 7].map((id) => numbered.findNumber(id))).toEqual([0, 1, undefined, undefined]);
});
