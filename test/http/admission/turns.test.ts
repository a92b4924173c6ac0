import { describe, expect, it } from 'vitest';
import { Turns } from '../../../src/http/admission/turns.js';

describe('turns of long work', () => {
  it('are taken one in each turn of the event loop, by one sender after another', async () => {
    const turns = new Turns();
    const reported: string[] = [];
    let loops = 0;
    const loop = (): void => {
      loops++;
      if (reported.length < 6) setImmediate(loop);
    };
    const work = async (sender: string, pieces: number): Promise<void> => {
      for (let i = 0; i < pieces; i++) {
        await turns.next(sender);
        reported.push(sender);
      }
    };
    setImmediate(loop);
    await Promise.all([work('a', 1), work('a', 1), work('a', 1), work('a', 1), work('b', 2)]);
    expect(reported).toEqual(['a', 'b', 'a', 'b', 'a', 'a']);
    expect(loops).toBeGreaterThanOrEqual(6);
  });
});
