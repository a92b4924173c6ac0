/** A generator of pseudo-random numbers that a seed replays. */
export class Random {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive): mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 to `end` (exclusive). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new RangeError('nothing to choose from');
    return choice;
  }

  /** A copy in another order. */
  shuffled<T>(all: readonly T[]): T[] {
    const places = all.map((one) => ({ one, at: this.next() }));
    return places.sort((a, b) => a.at - b.at).map(({ one }) => one);
  }

  /** From `least` to `most` things. */
  many<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }
}

/** The seed of this run: the environment's SEED to replay one, else a new one. */
export function seedOfRun(): number {
  const given = process.env.SEED;
  return given === undefined || given === '' ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}
