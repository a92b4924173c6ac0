/** Lets one who works now and then wait for the next reason to. */
export class Wake {
  #isWoken = false;
  #resume: () => void = () => undefined;

  /** Ends a wait, now or when it begins. */
  wake(): void {
    this.#isWoken = true;
    this.#resume();
  }

  /** Resolves when somebody wakes, at once when that was since the last wait, and after so many milliseconds. */
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

  /** Resolves after so many milliseconds, whoever wakes. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, ms).unref());
  }
}
