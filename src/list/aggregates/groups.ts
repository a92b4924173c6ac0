import { ServiceError } from '../../errors.js';
import { type Column, type ColumnValue, NONE } from './column.js';

/** Most groups that are counted at a time; more are refused. */
const GROUPS_MAX = 1_000_000;

/** Receives the objects of each group. */
export interface Accumulator {
  /** Groups are numbered from 0. */
  add(group: number, id: number): void;
}

/** The groups of objects by the values of columns. Without columns all objects are one group. */
export class Groups {
  readonly #levels: readonly Level[];
  readonly #counts: number[] = [];
  readonly #ids: number[] = [];

  constructor(
    columns: readonly Column[],
    private readonly accumulators: readonly Accumulator[],
  ) {
    this.#levels = columns.map((column) => new Level(column));
  }

  get size(): number {
    return this.#counts.length;
  }

  /**
   * Adds an object to its groups: one for each combination of its values.
   * @returns the number of these groups
   * @throws ServiceError `RequestEntityTooLarge` when there are too many groups
   */
  add(id: number): number {
    return this.#addTo(0, id, 0);
  }

  #addTo(parent: number, id: number, depth: number): number {
    const level = this.#levels[depth];
    if (level === undefined) {
      this.#count(parent, id);
      return 1;
    }
    const { column } = level;
    if (!column.field.isMulti) return this.#addTo(level.node(parent, column.numberOf(id)), id, depth + 1);
    const numbers = column.numbersOf(id);
    if (numbers.length === 0) return this.#addTo(level.node(parent, NONE), id, depth + 1);
    let groups = 0;
    for (const number of numbers) groups += this.#addTo(level.node(parent, number), id, depth + 1);
    return groups;
  }

  #count(group: number, id: number): void {
    const count = this.#counts[group];
    if (count === undefined) {
      this.#counts.push(1);
      this.#ids.push(id);
    } else {
      this.#counts[group] = count + 1;
      if (id < (this.#ids[group] ?? 0)) this.#ids[group] = id;
    }
    for (const accumulator of this.accumulators) accumulator.add(group, id);
  }

  /** Number of a group's objects. */
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
  /** By the number of a node: the node of the level before, and the number of the value. */
  readonly parents: number[] = [];
  readonly numbers: number[] = [];
  readonly #nodes = new Map<number, number>();
  readonly #width: number;

  constructor(readonly column: Column) {
    this.#width = column.values.size + 1;
  }

  node(parent: number, number: number): number {
    const key = parent * this.#width + number + 1;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const node = this.parents.push(parent) - 1;
    if (node === GROUPS_MAX) throw tooManyGroups();
    this.numbers.push(number);
    this.#nodes.set(key, node);
    return node;
  }
}

function tooManyGroups(): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `the list has more than ${GROUPS_MAX} groups; narrow it with a selector, or group by fields with fewer values`,
  );
}
