/** Wakes a periodic worker that waits. */
export class Wake {
  #isWoken = false;
  #resume: () => void = () => undefined;

  /** Ends the present or the next wait. */
  wake(): void {
    this.#isWoken = true;
    this.#resume();
  }

  /** Resolves at a wake, at once after an earlier wake, or after this many milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#resume = () => undefined;
    this.#isWoken = false;
  }

  /** Resolves after this many milliseconds, without regard to wakes. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, ms).unref());
  }
}
