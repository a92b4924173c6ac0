import type { ConversionError } from '../../model/evolve/conversion.js';

/** Objects that are told one by one. */
const TOLD_MAX = 18;

/** The objects that a list leaves out because they cannot be converted to the version asked for. */
export class SkippedObjects {
  private readonly first: ConversionError[] = [];
  private total = 0;
  private last: ConversionError[] = [];

  /** Those of the chunk of objects that was read last. */
  get recent(): readonly ConversionError[] {
    return this.last;
  }

  /** Another chunk is read. */
  nextChunk(): void {
    if (this.last.length > 0) this.last = [];
  }

  add(error: ConversionError): void {
    this.total++;
    this.last.push(error);
    if (this.first.length < TOLD_MAX) this.first.push(error);
  }

  get count(): number {
    return this.total;
  }

  /** A sentence for each object, up to a number of them. */
  named(): string[] {
    return this.first.map(({ message }) => message);
  }

  /** All that is to be said. @param from how many objects were named before */
  warnings(from = 0): string[] {
    const more = this.total - this.first.length;
    const named = this.named().slice(from);
    return more > 0 ? [...named, `${more} more objects cannot be converted`] : named;
  }
}
