import { expect, it } from 'vitest';
import { NumberedIds } from '../../src/store/numbered-ids.js';
import type { Spot } from '../../src/store/walk.js';

async function* walkOf(ids: readonly number[]): AsyncGenerator<Spot[]> {
  for (let at = 0; at < ids.length; at += 7) {
    yield await Promise.resolve(ids.slice(at, at + 7).map((id) => ({ id, name: `n${id}` })));
  }
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
])('numbers $title in the order of the walk, and finds each again', async ({ ids }) => {
  const numbered = await NumberedIds.read(walkOf(ids), ids.length);
  expect(numbered.size).toBe(ids.length);
  expect(ids.map((id) => numbered.numberOf(id))).toEqual(ids.map((_, i) => i));
  expect(ids.map((_, i) => numbered.idAt(i))).toEqual(ids);
});

it('knows no id that the walk did not come by, and may be given fewer than were announced', async () => {
  const numbered = await NumberedIds.read(walkOf([5, 3, 9]), 100);
  expect(numbered.size).toBe(3);
  expect(numbered.numberOf(9)).toBe(2);
  expect(numbered.numberOf(4)).toBeUndefined();
  expect(numbered.numberOf(0)).toBeUndefined();
});
