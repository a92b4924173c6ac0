import { expect } from 'vitest';

/** A value that is written again and again. After a kill the answered one is stored, or one that was on its way. */
export class Written<T> {
  #sent: T;

  constructor(private answered: T) {
    this.#sent = answered;
  }

  /** The last known value. */
  get value(): T {
    return this.answered;
  }

  async write(next: T, send: (value: T) => Promise<unknown>): Promise<void> {
    this.#sent = next;
    await send(next);
    this.answered = next;
  }

  /** Checks what is stored, which is known then. */
  check(found: T, what: string): void {
    expect([this.answered, this.#sent], what).toContainEqual(found);
    this.answered = found;
    this.#sent = found;
  }
}
