import { nextTurn } from '../../lib/work/turn.js';
import type { Output } from '../io.js';

/** The number of printed items before a wait for the reader. */
const TURN = 100;

/**
 * Yields the same items, but waits for the reader from time to time. Otherwise the output would accumulate in memory, because
 * reading from a store is faster than most readers.
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
  // An error of the last write is reported in the next turn.
  await nextTurn();
}
