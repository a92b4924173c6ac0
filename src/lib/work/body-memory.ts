interface Waiter {
  readonly holder: object;
  readonly bytes: number;
  readonly end: (isTaken: boolean) => void;
}

/** Memory for bodies of requests, which their holders share. */
export class BodyMemory {
  #bytes = 0;
  readonly #shares = new Map<object, number>();
  readonly #waiters = new Set<Waiter>();

  constructor(private readonly bytesMax: number) {}

  /** Takes memory now. @returns false when there is not enough */
  tryTake(holder: object, bytes: number): boolean {
    const mayTake = this.#isFair(holder, bytes) && this.#hasRoom(bytes);
    if (mayTake) this.#add(holder, bytes);
    return mayTake;
  }

  /** Takes memory as soon as there is enough. @returns false after {@link stopWaiting} */
  take(holder: object, bytes: number): Promise<boolean> {
    return new Promise((end) => {
      this.#waiters.add({ holder, bytes, end });
      this.#serve();
    });
  }

  /** @param bytes default: all that the holder has */
  release(holder: object, bytes = this.#heldBy(holder)): void {
    this.#add(holder, -bytes);
    this.#serve();
  }

  stopWaiting(holder: object): void {
    for (const waiter of this.#waiters) if (waiter.holder === holder) this.#unblock(waiter, false);
  }

  /** Serves in the order of arrival. Holders that have their share already wait. */
  #serve(): void {
    for (const waiter of this.#waiters) {
      const { holder, bytes } = waiter;
      if (!this.#isFair(holder, bytes)) continue;
      if (!this.#hasRoom(bytes)) return;
      this.#add(holder, bytes);
      this.#unblock(waiter, true);
    }
  }

  #unblock(waiter: Waiter, isTaken: boolean): void {
    this.#waiters.delete(waiter);
    waiter.end(isTaken);
  }

  #heldBy(holder: object): number {
    return this.#shares.get(holder) ?? 0;
  }

  /** True while the share of a holder leaves room for one more holder. Its first body is always fair. */
  #isFair(holder: object, bytes: number): boolean {
    const heldBytes = this.#heldBy(holder);
    return heldBytes === 0 || heldBytes + bytes <= this.bytesMax / (this.#shares.size + 1);
  }

  /** A body that is longer than the memory is alone in it. */
  #hasRoom(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.bytesMax;
  }

  #add(holder: object, bytes: number): void {
    const heldBytes = this.#heldBy(holder) + bytes;
    this.#bytes += bytes;
    if (heldBytes > 0) this.#shares.set(holder, heldBytes);
    else this.#shares.delete(holder);
  }
}
