/** Numbers from a seed: the same seed makes the same sequences of requests. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability) {
    return this.next() < probability;
  }

  /** From 0 to `count - 1`. */
  below(count) {
    return Math.floor(this.next() * count);
  }

  pick(values) {
    return values[this.below(values.length)];
  }

  /** One of the names of an object of weights. */
  weighted(weights) {
    const entries = Object.entries(weights);
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0])[0];
  }

  /** Some of the values, in any order. */
  some(values, probability = 0.5) {
    const kept = values.filter(() => this.chance(probability));
    for (let at = kept.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [kept[at], kept[other]] = [kept[other], kept[at]];
    }
    return kept;
  }

  /** An object with some of the members; each is a function that makes its value. */
  object(members, probability = 0.5) {
    return Object.fromEntries(
      this.some(Object.keys(members), probability).map((name) => [name, members[name](this)]),
    );
  }
}
