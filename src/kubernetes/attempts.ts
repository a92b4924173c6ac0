import { hasCode } from '../errors.js';

/** Pieces of work that do not depend on each other: after a failure, the others are still done. */
export class Attempts {
  readonly #failures: unknown[] = [];

  /** @returns undefined when the work failed, or when others changed its object: all of it is to be done again */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isOvertaken(error)) this.#failures.push(error);
      return undefined;
    }
  }

  /** Call it after all work. @throws the first failure */
  end(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}

/** The object was changed, is gone, or is another one of the name. */
function isOvertaken(error: unknown): boolean {
  return hasCode(error, 'Conflict', 'NotFound', 'PreconditionFailed');
}
