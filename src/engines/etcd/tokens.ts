/** The token by which members know a user. One is asked for when it is needed, and once for all who need it. */
export class Tokens {
  #token: string | undefined;
  #asking: Promise<string> | undefined;

  constructor(private readonly ask: () => Promise<string>) {}

  async get(): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    this.#asking ??= this.#renew();
    return this.#asking;
  }

  /** It is no longer taken. Somebody may have got another one since. */
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
