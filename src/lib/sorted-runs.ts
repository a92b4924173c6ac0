import { yieldBetween } from './work/yield.js';

/** Items sorted in one step. */
const RUN = 500;
/** Items merged in one step. */
const CHUNK = 500;

/**
 * Sorts items without blocking the event loop: short runs are sorted as they arrive, and are merged in chunks. No two
 * items may be equal.
 */
export class SortedRuns<T> {
  #run: T[] = [];
  #runs: T[][] = [];
  /** The number of items in whole runs. */
  #itemCount = 0;
  /** Items from here on are not needed: enough items come before. */
  #end: T | undefined;

  /** @param most the number of first items that are needed; at most about twice as many are in memory */
  constructor(
    private readonly compare: (a: T, b: T) => number,
    private readonly most = Infinity,
  ) {}

  async add(items: Iterable<T>): Promise<void> {
    for (const item of items) {
      if (this.#end === undefined || this.compare(item, this.#end) < 0) this.#run.push(item);
      if (this.#run.length >= RUN) this.#endRun();
    }
    if (this.#itemCount >= 2 * this.most) await this.#shrink();
  }

  /** All needed items, in chunks. No items can be added afterwards. */
  inOrder(): AsyncGenerator<T[]> {
    this.#endRun();
    return merge(this.#runs, this.compare, this.most);
  }

  #endRun(): void {
    if (this.#run.length === 0) return;
    const run = this.#run.sort(this.compare).slice(0, this.most);
    this.#runs.push(run);
    this.#itemCount += run.length;
    this.#run = [];
  }

  async #shrink(): Promise<void> {
    const wanted: T[] = [];
    for await (const chunk of yieldBetween(merge(this.#runs, this.compare, this.most))) wanted.push(...chunk);
    this.#runs = [wanted];
    this.#itemCount = wanted.length;
    this.#end = wanted.at(-1);
  }
}

/** The position of a merge in a run with items left; `item` is the next one. */
interface Head<T> {
  item: T;
  at: number;
  readonly run: readonly T[];
}

/** The first items of all runs, each of which is in order. */
async function* merge<T>(
  runs: readonly (readonly T[])[],
  compare: (a: T, b: T) => number,
  most: number,
): AsyncGenerator<T[]> {
  const heads = runs.flatMap((run) => run.slice(0, 1).map((item): Head<T> => ({ item, at: 0, run })));
  // A sorted list is already a heap: no head comes before the one at half its index.
  heads.sort((a, b) => compare(a.item, b.item));
  let left = most;
  while (heads.length > 0 && left > 0) {
    const chunk: T[] = [];
    const size = Math.min(CHUNK, left);
    for (let [first] = heads; first !== undefined && chunk.length < size; [first] = heads) {
      chunk.push(first.item);
      advance(heads, first, compare);
    }
    left -= chunk.length;
    yield chunk;
  }
}

/** Moves the first head forward and restores the heap. */
function advance<T>(heads: Head<T>[], first: Head<T>, compare: (a: T, b: T) => number): void {
  first.at++;
  const next = first.run[first.at];
  if (next === undefined) {
    const last = heads.pop();
    if (last === undefined || last === first) return;
    sink(heads, last, compare);
  } else {
    first.item = next;
    sink(heads, first, compare);
  }
}

/** Moves a head from the first place down below those that come before it. */
function sink<T>(heads: Head<T>[], head: Head<T>, compare: (a: T, b: T) => number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    let smaller = heads[child];
    const right = heads[child + 1];
    if (smaller === undefined) break;
    if (right !== undefined && compare(right.item, smaller.item) < 0) {
      smaller = right;
      child++;
    }
    if (compare(head.item, smaller.item) <= 0) break;
    heads[at] = smaller;
    at = child;
  }
  heads[at] = head;
}
