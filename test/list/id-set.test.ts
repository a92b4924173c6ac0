import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../src/list/filter/id-set.js';

/** Few scattered ids, a dense block, and ids around the edges of groups. */
const ids = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 200 }),
  fc
    .tuple(
      fc.integer({ min: 0, max: 70_000 }),
      fc.integer({ min: 1, max: 9_000 }),
      fc.integer({ min: 1, max: 5 }),
    )
    .map(([from, length, step]) => Array.from({ length }, (_, i) => from + i * step)),
  fc.array(fc.constantFrom(0, 65_535, 65_536, 131_071, 131_072, 2 ** 40, 2 ** 46 - 1), { maxLength: 10 }),
);

function listOf(set: IdSet): number[] {
  const out: number[] = [];
  set.forEach((id) => out.push(id));
  return out.sort((a, b) => a - b);
}

function sorted(values: Iterable<number>): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

describe('a set of ids', () => {
  it('combines as sets do', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const [x, y, inB] = [IdSet.of(a), IdSet.of(b), new Set(b)];
        expect(listOf(x)).toEqual(sorted(a));
        expect(x.size).toBe(new Set(a).size);
        const both = sorted(a.filter((id) => inB.has(id)));
        expect(listOf(x.and(y))).toEqual(both);
        expect(x.and(y).size).toBe(both.length);
        expect(listOf(IdSet.union([x, y]))).toEqual(sorted([...a, ...b]));
        expect(listOf(x.andNot(y))).toEqual(sorted(a.filter((id) => !inB.has(id))));
      }),
      { numRuns: 300 },
    );
  });

  it('counts its members among ascending ids, and gives one of its ids', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const set = IdSet.of(a);
        const ascending = Uint32Array.from(sorted(b.filter((id) => id < 2 ** 32)));
        const both = [...ascending].filter((id) => set.has(id));
        expect(set.countAmong(ascending)).toEqual({ count: both.length, first: both[0] ?? 0 });
        if (a.length === 0) expect(set.any).toBeUndefined();
        else expect(a).toContain(set.any);
      }),
      { numRuns: 300 },
    );
  });

  it('is united with any number of others', () => {
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 7 }), (lists) => {
        const sets = lists.map((list) => IdSet.of(list));
        const union = IdSet.union(sets);
        expect(listOf(union)).toEqual(sorted(lists.flat()));
        expect(union.size).toBe(new Set(lists.flat()).size);
        // A separate set: the others do not change.
        for (const id of [3, 70_000]) union.add(id);
        for (const id of lists[0] ?? []) union.delete(id);
        expect(sets.map(listOf)).toEqual(lists.map(sorted));
      }),
      { numRuns: 60 },
    );
  });

  it('of sets with nothing in common is counted and picked from', () => {
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 5 }), ids, (lists, others) => {
        const all = new Set(lists.flat());
        const rest = new Set(all);
        const sets = lists.map((list) => IdSet.of(list.filter((id) => rest.delete(id))));
        const before = sets.map(listOf);
        const union = IdSet.union(sets);
        expect(union.size).toBe(all.size);
        const asked = [...others, ...all].flatMap((id) => [id, id + 1, id + 65_536, id + 4 * 65_536]);
        const options = { from: 1, to: Infinity, looks: Infinity };
        const expected = asked.filter((id) => all.has(id)).slice(1);
        expect(union.pick(Float64Array.from(asked), options)).toEqual(expected);
        expect(listOf(union)).toEqual(sorted(all));
        expect(union.pick(Float64Array.from(asked), options)).toEqual(expected);
        union.add(3);
        for (const id of before[0] ?? []) union.delete(id);
        expect(union.has(3)).toBe(before[0]?.includes(3) !== true);
        expect(sets.map(listOf)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it('is the same set when it is made of ids that ascend', () => {
    fc.assert(
      fc.property(ids, (list) => {
        const ascending = sorted(list.map((id) => Math.min(id, 2 ** 32 - 1)));
        const set = IdSet.ofAscending(Uint32Array.from(ascending));
        expect(listOf(set)).toEqual(ascending);
        expect(set.size).toBe(ascending.length);
        for (const id of ascending.slice(0, 20)) set.delete(id);
        set.add(7);
        expect(listOf(set)).toEqual(sorted([7, ...ascending.slice(20)]));
      }),
      { numRuns: 300 },
    );
  });

  it('picks its ids from others, as far as it may look', () => {
    const place = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(
        fc.array(ids, { maxLength: 4 }),
        ids,
        place,
        place,
        place,
        (lists, others, from, more, looks) => {
          const all = new Set(lists.flat());
          // Ids with the same lower half in other groups could be mistaken for the id.
          const asked = [...others, ...all].flatMap((id) => [
            id,
            id + 1,
            id + 65_536,
            (id + 2 ** 33) % 2 ** 47,
          ]);
          const to = from + more;
          const seen = asked.slice(0, looks).filter((id) => all.has(id));
          const isWhole = seen.length >= to || looks >= asked.length;
          const picked = IdSet.of(all).pick(Float64Array.from(asked), { from, to, looks });
          expect(picked).toEqual(isWhole ? seen.slice(from, to) : undefined);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('changes one id at a time, whatever form a group has', () => {
    fc.assert(
      fc.property(
        ids,
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 75_000 })), { maxLength: 200 }),
        (start, steps) => {
          const set = IdSet.of(start);
          const expected = new Set(start);
          for (const [isAdd, id] of steps) {
            if (isAdd) set.add(id);
            else set.delete(id);
            if (isAdd) expected.add(id);
            else expected.delete(id);
            expect(set.has(id)).toBe(isAdd);
          }
          expect(listOf(set)).toEqual(sorted(expected));
          expect(set.size).toBe(expected.size);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not share memory with the sets it was made of', () => {
    const [a, b] = [IdSet.of([1, 2]), new IdSet()];
    const either = IdSet.union([a, b]);
    either.add(3);
    either.delete(1);
    expect(listOf(a)).toEqual([1, 2]);
  });

  it('turns to a bitmap at 4,097 ids of a group', () => {
    const set = IdSet.of(Array.from({ length: 4096 }, (_, i) => i * 2));
    const before = set.bytes;
    set.add(1);
    expect(set.size).toBe(4097);
    expect(set.has(1)).toBe(true);
    expect(set.bytes - before).toBeLessThan(100);
  });
});
