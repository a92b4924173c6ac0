import { type FieldColumn, type ColumnValue, NONE } from './column.js';
import { ExactSums } from './exact-sums.js';
import type { Accumulator, Rows } from './groups.js';

export class ColumnSums implements Accumulator {
  readonly #sums = new ExactSums();
  /** Number of summed values, by group. */
  readonly #counts: number[] = [];

  constructor(private readonly column: FieldColumn) {}

  add({ ids, groups }: Rows): void {
    const counts = this.#counts;
    const numbers = this.column.numbersOf(ids);
    for (let i = 0; i < numbers.length; i++) {
      const [number = NONE, group = 0] = [numbers[i], groups[i]];
      if (number === NONE) continue;
      while (counts.length <= group) counts.push(0);
      counts[group] = (counts[group] ?? 0) + 1;
    }
    this.#sums.add(groups, this.column.values.highs(numbers));
    this.#sums.add(groups, this.column.values.lows(numbers));
  }

  /** A text of digits for a number that a double does not represent. */
  sum(group: number): number | string {
    const number = this.#sums.number(group);
    const isExact =
      this.column.field.keyType === 'number' ? Number.isFinite(number) : Number.isSafeInteger(number);
    return isExact ? number : String(this.#sums.integer(group));
  }

  /** The double that is nearest to the average; null without values. */
  average(group: number): number | null {
    const count = this.#counts[group] ?? 0;
    return count === 0 ? null : this.#sums.number(group, count);
  }
}

/** The smallest or the largest values of a column. */
export class ColumnExtremes implements Accumulator {
  readonly #numbers: number[] = [];
  readonly #ids: number[] = [];

  /** @param sign 1 for the largest, -1 for the smallest */
  constructor(
    private readonly column: FieldColumn,
    private readonly sign: 1 | -1,
  ) {}

  add({ ids, groups }: Rows): void {
    const numbers = this.column.numbersOf(ids);
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] ?? NONE;
      if (number !== NONE) this.#compare(groups[i] ?? 0, number, ids[i] ?? 0);
    }
  }

  #compare(group: number, number: number, id: number): void {
    for (; this.#numbers.length <= group; this.#numbers.push(NONE)) this.#ids.push(id);
    const best = this.#numbers[group] ?? NONE;
    const order = best === NONE ? 1 : this.column.values.compare(number, best) * this.sign;
    if (order < 0 || (order === 0 && id > (this.#ids[group] ?? 0))) return;
    this.#numbers[group] = number;
    this.#ids[group] = id;
  }

  /** The value of a group, and the smallest id of an object with it. */
  value(group: number): ColumnValue {
    return { number: this.#numbers[group] ?? NONE, id: this.#ids[group] ?? 0 };
  }
}
