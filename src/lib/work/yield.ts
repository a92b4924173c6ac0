import { isLongTurn, nextTurn, ownTurn } from './turn.js';
import type { Work } from './work.js';

/** Longest time of work without a break, in milliseconds. */
const TURN_MS = 1;
/**
 * Steps between two readings of the clock. They take microseconds, or milliseconds when memory is touched for the
 * first time.
 */
const UNTIMED_STEPS = 256;

/** Lets other work run. @param work continues after it, and is checked then */
function giveWay(work: Work | undefined): Promise<void> {
  return work === undefined ? nextTurn() : work.giveWay();
}

/**
 * The same chunks, with a break between two of them when a turn has lasted long enough.
 * @param work is checked before each chunk
 */
export async function* yieldBetween<T>(chunks: AsyncIterable<T>, work?: Work): AsyncGenerator<T> {
  let until = performance.now() + TURN_MS;
  for await (const chunk of chunks) {
    work?.check();
    yield chunk;
    if (performance.now() < until) continue;
    await giveWay(work);
    until = performance.now() + TURN_MS;
  }
}

/** Work that may be interrupted wherever it yields. */
export type Resumable<T> = Generator<undefined, T, undefined>;

export function runSync<T>(steps: Resumable<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Lets other work run from time to time. For several pieces of work, one after another. */
export class Yielder {
  #until = performance.now() + TURN_MS;
  #isFirst = true;

  /** @param work is checked at each break */
  constructor(private readonly work?: Work) {}

  /** Runs the work, with breaks where it yields. */
  async run<T>(steps: Resumable<T>): Promise<T> {
    for (;;) {
      if (isLongTurn()) await ownTurn();
      const step = steps.next();
      if (this.isDue) await this.take();
      if (step.done === true) return step.value;
    }
  }

  get isDue(): boolean {
    return performance.now() > this.#until;
  }

  async take(): Promise<void> {
    // A turn requested while input is read comes before more of it is read.
    if (this.#isFirst) await nextTurn();
    this.#isFirst = false;
    await giveWay(this.work);
    this.#until = performance.now() + TURN_MS;
  }
}

/**
 * Calls back with each number below a count, and lets other work run from time to time.
 * @param work is checked at each break
 */
export async function countYielding(count: number, step: (i: number) => void, work?: Work): Promise<void> {
  const yielder = new Yielder(work);
  for (let from = 0; from < count; from += UNTIMED_STEPS) {
    const to = Math.min(from + UNTIMED_STEPS, count);
    for (let i = from; i < to; i++) step(i);
    if (yielder.isDue) await yielder.take();
  }
}
