import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Output } from '../io.js';

/** How many are printed before it is waited for whoever reads. */
const TURN = 100;

/**
 * The same, but now and then it waits until what was printed meanwhile is read: else all of it would heap up in
 * memory, because reading from a store is faster than most readers.
 */
export async function* paced<T>(items: AsyncIterable<T> | Iterable<T>, output: Output): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count % TURN > 0) continue;
    await nextTurn();
    await output.drained();
  }
}
