/** The token that authenticates a user. It is requested on demand, and once for all concurrent callers. */
export class Tokens {
  #token: string | undefined;
  #asking: Promise<string> | undefined;

  constructor(private readonly ask: () => Promise<string>) {}

  async get(): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    this.#asking ??= this.#renew();
    return this.#asking;
  }

  /** Discards a token that is not accepted any more, unless it was replaced in the meantime. */
  drop(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #renew(): Promise<string> {
    try {
      this.#token = await this.ask();
      return this.#token;
    } finally {
      this.#asking = undefined;
    }
  }
}
