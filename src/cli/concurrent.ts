/** The limit of parallel writes: commits that run together share the wait for the disk. */
const CONCURRENT_MAX = 64;

/**
 * Runs the same work for many items, several in parallel, and yields the results in the items' order. A failure is a result too:
 * the others continue.
 * @param getRoom the number of items that may still run; 0 ends it
 */
export async function* settledInOrder<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  getRoom = (): number => CONCURRENT_MAX,
): AsyncGenerator<readonly [item: T, result: PromiseSettledResult<R>]> {
  for (let at = 0; at < items.length && getRoom() > 0;) {
    const chunk = items.slice(at, at + Math.min(CONCURRENT_MAX, getRoom()));
    at += chunk.length;
    const results = await Promise.allSettled(chunk.map(work));
    for (const [i, item] of chunk.entries()) {
      const result = results[i];
      if (result !== undefined) yield [item, result];
    }
  }
}
