import { readFile } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSync, Yielder, countYielding, type Resumable } from '../../src/lib/work/yield.js';

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
    expect([...new Set(othersAt)].slice(0, 3)).toEqual([255, 511, 767]);
  });

  it('end with the error of one', async () => {
    const failing = countYielding(10, (i) => {
      if (i === 3) throw new Error(`no step ${i}`);
    });
    await expect(failing).rejects.toThrow('no step 3');
  });
});

describe('work with breaks', () => {
  function* work(seen: string[]): Resumable<string> {
    seen.push('first');
    busyFor(3);
    yield;
    seen.push('second');
    busyFor(3);
    yield;
    seen.push('third');
    return 'done';
  }

  it('is done at once where that is asked for', () => {
    const seen: string[] = [];
    expect(runSync(work(seen))).toBe('done');
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  it('lets timers and input have their turn at a break, also when it begins while input is read', async () => {
    const seen: string[] = [];
    await new Promise<void>((resolve, reject) => {
      readFile(new URL(import.meta.url), () => {
        // Due when the first piece of work is done.
        setTimeout(() => seen.push('tick'), 1);
        new Yielder().run(work(seen)).then((result) => {
          expect(result).toBe('done');
          resolve();
        }, reject);
      });
    });
    expect(seen).toEqual(['first', 'tick', 'second', 'third']);
  });

  it('ends with its error', async () => {
    function* failing(): Resumable<never> {
      yield;
      throw new Error('no more');
    }
    await expect(new Yielder().run(failing())).rejects.toThrow('no more');
    expect(() => runSync(failing())).toThrow('no more');
  });
});

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
