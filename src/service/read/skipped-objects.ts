import type { ConversionError } from '../../model/evolve/conversion.js';

/** Most objects that are listed one by one. */
const LISTED_MAX = 18;

/** The objects that a list leaves out because they cannot be converted to the requested version. */
export class SkippedObjects {
  readonly #first: ConversionError[] = [];
  #total = 0;
  #last: ConversionError[] = [];

  /** The errors in the last chunk of objects. */
  get recent(): readonly ConversionError[] {
    return this.#last;
  }

  /** Starts the next chunk. */
  nextChunk(): void {
    if (this.#last.length > 0) this.#last = [];
  }

  add(error: ConversionError): void {
    this.#total++;
    this.#last.push(error);
    if (this.#first.length < LISTED_MAX) this.#first.push(error);
  }

  get count(): number {
    return this.#total;
  }

  /** One sentence per object, for the first objects. */
  named(): string[] {
    return this.#first.map(({ message }) => message);
  }

  /**
   * All warnings.
   * @param from number of objects that were listed before
   */
  warnings(from = 0): string[] {
    const more = this.#total - this.#first.length;
    const named = this.named().slice(from);
    return more > 0 ? [...named, `${more} more objects cannot be converted`] : named;
  }
}
