import { describe, expect, it } from 'vitest';
import { countYielding } from '../../src/lib/yield.js';

describe('steps', () => {
  it.each([0, 1, 255, 256, 257, 10_000])('are taken once each, in order (%i)', async (count) => {
    const taken: number[] = [];
    await countYielding(count, (i) => taken.push(i));
    expect(taken).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  it('let others have their turn when they take long', async () => {
    let isOver = false;
    const othersAt: number[] = [];
    let at = 0;
    const other = (): void => {
      othersAt.push(at);
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    await countYielding(4 * 256, (i) => {
      at = i;
      if (i % 256 === 0) busyFor(2);
    });
    isOver = true;
    expect(othersAt.slice(0, 3)).toEqual([255, 511, 767]);
  });

  it('end with the error of one', async () => {
    const failing = countYielding(10, (i) => {
      if (i === 3) throw new Error(`no step ${i}`);
    });
    await expect(failing).rejects.toThrow('no step 3');
  });
});

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
