import { ServiceError } from '../../errors.js';
import { type FieldColumn, type ColumnValue, NONE } from './column.js';

/** Most groups that are counted at a time; more are refused. */
const GROUPS_MAX = 1_000_000;

/** Most combinations of values that are counted at once, unless one object has more. */
const ROWS_MAX = 65_536;

/** Combined numbers below it are looked up in an array, the others in a map. */
const FEW_KEYS = 65_536;

/** Objects and their groups. An object with several values is in several rows. */
export interface Rows {
  readonly ids: Float64Array;
  /** Numbers from 0. */
  readonly groups: Uint32Array;
}

/** Receives all objects with their groups. */
export interface Accumulator {
  add(rows: Rows): void;
}

/** The groups of objects by the values of columns. Without columns all objects are one group. */
export class Groups {
  readonly #levels: readonly Level[];
  readonly #counts: number[] = [];
  readonly #ids: number[] = [];

  constructor(
    columns: readonly FieldColumn[],
    private readonly accumulators: readonly Accumulator[],
  ) {
    this.#levels = columns.map((column) => new Level(column));
  }

  get size(): number {
    return this.#counts.length;
  }

  /**
   * Adds objects to their groups: one for each combination of an object's values.
   * @throws ServiceError `RequestEntityTooLarge` when there are too many groups
   */
  add(ids: Float64Array): void {
    const rows = this.#divide(ids);
    if (rows === undefined) {
      const middle = ids.length >> 1;
      this.add(ids.subarray(0, middle));
      this.add(ids.subarray(middle));
      return;
    }
    this.#count(rows);
    for (const accumulator of this.accumulators) accumulator.add(rows);
  }

  /** Undefined when several objects have too many combinations together. */
  #divide(ids: Float64Array): Rows | undefined {
    const most = ids.length > 1 ? ROWS_MAX : GROUPS_MAX;
    let rows: Rows = { ids, groups: new Uint32Array(ids.length) };
    for (const level of this.#levels) {
      const divided = level.divide(rows, most);
      if (divided !== undefined) rows = divided;
      else if (ids.length > 1) return undefined;
      else throw tooManyGroups();
    }
    return rows;
  }

  #count({ ids, groups }: Rows): void {
    const [counts, firstIds] = [this.#counts, this.#ids];
    for (let i = 0; i < ids.length; i++) {
      const [group = 0, id = 0] = [groups[i], ids[i]];
      for (; counts.length <= group; counts.push(0)) firstIds.push(id);
      counts[group] = (counts[group] ?? 0) + 1;
      if (id < (firstIds[group] ?? 0)) firstIds[group] = id;
    }
  }

  count(group: number): number {
    return this.#counts[group] ?? 0;
  }

  /** The value of a group in a column, and the smallest id of an object with it. */
  value(group: number, depth: number): ColumnValue {
    return { number: this.#getNumber(group, depth), id: this.#ids[group] ?? 0 };
  }

  #getNumber(group: number, depth: number): number {
    let node = group;
    for (let at = this.#levels.length - 1; at > depth; at--) node = this.#levels[at]?.parents[node] ?? 0;
    return this.#levels[depth]?.numbers[node] ?? NONE;
  }

  /** Orders groups: the most frequent first, ties by their values, without a value last. */
  readonly compare = (a: number, b: number): number => {
    let order = this.count(b) - this.count(a);
    for (let depth = 0; order === 0 && depth < this.#levels.length; depth++) {
      const [one, other] = [this.#getNumber(a, depth), this.#getNumber(b, depth)];
      if (one === NONE || other === NONE) order = Number(one === NONE) - Number(other === NONE);
      else order = this.#levels[depth]?.column.values.compare(one, other) ?? 0;
    }
    return order;
  };
}

/** The values of one column in the groups by the columns before it. */
class Level {
  /** By the number of a group: the group by the columns before, and the number of the value. */
  readonly parents: number[] = [];
  readonly numbers: number[] = [];
  /** The groups + 1, by the numbers of group and value combined: small ones, and others. */
  readonly #few = new Uint32Array(FEW_KEYS);
  readonly #others = new Map<number, number>();
  readonly #width: number;

  constructor(readonly column: FieldColumn) {
    this.#width = column.values.size + 1;
  }

  /** Undefined when there would be more than `most` rows. */
  divide({ ids, groups }: Rows, most: number): Rows | undefined {
    if (this.column.field.isMulti) return this.#divideMulti({ ids, groups }, most);
    const numbers = this.column.numbersOf(ids);
    const divided = new Uint32Array(ids.length);
    for (let i = 0; i < ids.length; i++) divided[i] = this.#find(groups[i] ?? 0, numbers[i] ?? NONE);
    return { ids, groups: divided };
  }

  #divideMulti({ ids, groups }: Rows, most: number): Rows | undefined {
    const divided = { ids: [] as number[], groups: [] as number[] };
    for (const [i, id] of ids.entries()) {
      const numbers = this.column.allNumbersOf(id);
      for (const number of numbers.length === 0 ? [NONE] : numbers) {
        if (divided.ids.push(id) > most) return undefined;
        divided.groups.push(this.#find(groups[i] ?? 0, number));
      }
    }
    return { ids: Float64Array.from(divided.ids), groups: Uint32Array.from(divided.groups) };
  }

  #find(parent: number, number: number): number {
    const key = parent * this.#width + number + 1;
    const known = key < FEW_KEYS ? this.#few[key] : this.#others.get(key);
    if (known !== undefined && known > 0) return known - 1;
    const group = this.parents.push(parent);
    if (group > GROUPS_MAX) throw tooManyGroups();
    this.numbers.push(number);
    if (key < FEW_KEYS) this.#few[key] = group;
    else this.#others.set(key, group);
    return group - 1;
  }
}

function tooManyGroups(): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `the list has more than ${GROUPS_MAX} groups; narrow it with a selector, or group by fields with fewer values`,
  );
}
