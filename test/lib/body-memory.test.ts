import { describe, expect, it } from 'vitest';
import { BodyMemory } from '../../src/lib/work/body-memory.js';

const [ann, bob] = [{ name: 'ann' }, { name: 'bob' }];

/** The names of the holders that got memory, and `-` for those that stopped waiting, in order. */
function takes(memory: BodyMemory): {
  take: (holder: { name: string }, bytes: number) => void;
  ends: string[];
} {
  const ends: string[] = [];
  return {
    ends,
    take: (holder, bytes) =>
      void memory.take(holder, bytes).then((isTaken) => ends.push(isTaken ? holder.name : '-')),
  };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the memory of bodies', () => {
  it('is given up to its limit, and a body that is longer is alone in it', () => {
    const memory = new BodyMemory(100);
    expect(memory.tryTake(ann, 60)).toBe(true);
    expect(memory.tryTake(bob, 41)).toBe(false);
    expect(memory.tryTake(bob, 40)).toBe(true);
    memory.release(ann, 60);
    memory.release(bob);
    expect(memory.tryTake(ann, 101)).toBe(true);
    expect(memory.tryTake(bob, 1)).toBe(false);
  });

  it('leaves room for another holder, which does not wait for the one that wants all', async () => {
    const memory = new BodyMemory(100);
    const { take, ends } = takes(memory);
    for (let i = 0; i < 10; i++) take(ann, 10);
    take(bob, 10);
    await settled();
    expect(ends).toEqual([...Array<string>(5).fill('ann'), 'bob']);
    memory.release(bob, 10);
    memory.release(ann, 10);
    await settled();
    expect(ends.slice(6)).toEqual(['ann']);
  });

  it('is given in the order of arrival, and again after each release', async () => {
    const memory = new BodyMemory(100);
    const { take, ends } = takes(memory);
    take(ann, 100);
    take(bob, 60);
    take({ name: 'cy' }, 10);
    await settled();
    expect(ends).toEqual(['ann']);
    memory.release(ann, 100);
    await settled();
    expect(ends).toEqual(['ann', 'bob', 'cy']);
  });

  it('is not given to a holder that no longer waits', async () => {
    const memory = new BodyMemory(100);
    const { take, ends } = takes(memory);
    for (const holder of [ann, bob, ann]) take(holder, 100);
    memory.stopWaiting(bob);
    await settled();
    expect(ends).toEqual(['ann', '-']);
    memory.release(ann);
    await settled();
    expect(ends).toEqual(['ann', '-', 'ann']);
  });
});
