import { asBuffer } from '../../lib/bytes.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import type { RecordChange } from '../../store/log/record-changes.js';
import { visitValues, type ValueVisitor } from '../filter/value-pass.js';
import { visitIndexRecords } from '../filter/evaluate.js';
import type { FacetValue } from '../facets/json-values.js';
import type { ListScope } from '../scope.js';
import type { ColumnField } from './column-field.js';
import { NumberedValues } from './numbered-values.js';

/** The number of an object without a value. */
export const NONE = -1;

/** The number of a value, or `NONE`, and an object that has it. */
export interface ColumnValue {
  readonly number: number;
  readonly id: number;
}

/** The values of the objects as read from an index, by id. */
interface ReadNumbers {
  /** Later columns may add values to it. */
  readonly values: NumberedValues;
  readonly firstId: number;
  /** The number of the object's value + 1; with `links`, the position of its last link + 1; 0: no value. */
  readonly heads: Uint32Array;
  /** For fields with several values. `before` is as in `heads`. */
  readonly links: { readonly numbers: number[]; readonly before: number[] } | undefined;
}

const NO_HEADS = new Uint32Array(0);
/** Ids may be scattered over this many times the number of objects. */
const SPAN_MAX = 4;
/** After this many changed objects, or values, a column is read again. */
const CHANGES_MAX = 5_000;
/** Approximate memory of a changed object, in bytes. */
const CHANGED_BYTES = 100;

/** The values of one field of objects, in memory: by id, the numbers of the values. It never changes. */
export class FieldColumn {
  private constructor(
    readonly field: ColumnField,
    /** The revision of the table that it shows. */
    readonly revision: number,
    private readonly read: ReadNumbers,
    /** Numbers of the values of objects that changed since they were read. */
    private readonly changed: ReadonlyMap<number, readonly number[]>,
  ) {}

  /**
   * Reads the values of all objects from the index.
   * @returns undefined when the ids are too scattered, or values are cut in the keys
   */
  static async readIndex(
    scope: ListScope,
    field: ColumnField,
    objects: number,
  ): Promise<FieldColumn | undefined> {
    const { first, last } = await scope.view.idSpan(scope.table);
    const span = last - first + 1;
    if (span > SPAN_MAX * Math.max(objects, 1_000)) return undefined;
    const reader = new ColumnReader(field, first, span);
    const cut = await visitValues(scope, field, reader);
    return cut.size > 0 ? undefined : new FieldColumn(field, scope.revision, reader.read, new Map());
  }

  /** Reads the values of some objects from their index records, for several fields at once. */
  static async readRecords(
    scope: ListScope,
    fields: readonly ColumnField[],
    ids: readonly number[],
  ): Promise<FieldColumn[]> {
    const readers = fields.map((field) => new RecordReader(field, new NumberedValues(field.keyType)));
    await visitIndexRecords(scope, ids, (record) => {
      for (const reader of readers) reader.add(record);
    });
    return readers.map(
      ({ field, values, numbers }) =>
        new FieldColumn(
          field,
          scope.revision,
          { values, firstId: 0, heads: NO_HEADS, links: undefined },
          numbers,
        ),
    );
  }

  /** The column at a later revision; undefined when it must be read again. */
  follow(changes: readonly RecordChange[], revision: number): FieldColumn | undefined {
    if (changes.length === 0) return this;
    const reader = new RecordReader(this.field, this.values, new Map(this.changed));
    for (const { before, after } of changes) {
      if (before !== undefined) reader.numbers.set(before.id, []);
      if (after !== undefined) reader.add(after);
    }
    if (reader.numbers.size > CHANGES_MAX || this.values.others > CHANGES_MAX) return undefined;
    return new FieldColumn(this.field, revision, this.read, reader.numbers);
  }

  get values(): NumberedValues {
    return this.read.values;
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    const { heads, links } = this.read;
    const read = heads.byteLength + (links?.numbers.length ?? 0) * 16;
    return read + this.values.bytes + this.changed.size * CHANGED_BYTES;
  }

  /** The number of each object's value, or `NONE`; for fields with one value. */
  numbersOf(ids: Float64Array): Int32Array {
    const { heads, firstId } = this.read;
    const numbers = new Int32Array(ids.length);
    for (let i = 0; i < ids.length; i++) numbers[i] = (heads[(ids[i] ?? 0) - firstId] ?? 0) - 1;
    if (this.changed.size === 0) return numbers;
    return numbers.map((number, i) => (this.changed.get(ids[i] ?? 0) ?? [number])[0] ?? NONE);
  }

  /** Values by their numbers, as in the JSON of objects that have them; null for `NONE`. */
  async json(scope: ListScope, found: readonly ColumnValue[]): Promise<(FacetValue | null)[]> {
    const present = found.filter(({ number }) => number !== NONE);
    const coded = present.map(({ number, id }) => ({ value: this.values.bytesOf(number), id }));
    const values = (await this.field.json(scope, coded)).values();
    return found.map(({ number }) => (number === NONE ? null : (values.next().value ?? null)));
  }

  /** The numbers of an object's values, in any order. */
  allNumbersOf(id: number): readonly number[] {
    const { heads, firstId, links } = this.read;
    const changed = this.changed.get(id);
    if (changed !== undefined) return changed;
    const numbers: number[] = [];
    for (let at = heads[id - firstId] ?? 0; at > 0; at = links?.before[at - 1] ?? 0)
      numbers.push(links?.numbers[at - 1] ?? 0);
    return numbers;
  }
}

/** Numbers the values of an index, and keeps those of each object. */
class ColumnReader implements ValueVisitor {
  readonly read: ReadNumbers;
  #isValue = false;

  constructor(
    private readonly field: ColumnField,
    firstId: number,
    span: number,
  ) {
    const links = field.isMulti ? { numbers: [], before: [] } : undefined;
    const values = new NumberedValues(field.keyType);
    this.read = { values, firstId, heads: new Uint32Array(span), links };
  }

  begin(bytes: Uint8Array | undefined): void {
    const value = bytes && this.field.valueIn(asBuffer(bytes));
    this.#isValue = value !== undefined;
    if (value !== undefined) this.read.values.append(value);
  }

  add(id: number): void {
    if (!this.#isValue) return;
    const { values, heads, firstId, links } = this.read;
    const at = id - firstId;
    if (links === undefined) heads[at] = values.size;
    else {
      links.before.push(heads[at] ?? 0);
      heads[at] = links.numbers.push(values.size - 1);
    }
  }
}

/** Numbers the values of index records. */
class RecordReader {
  constructor(
    readonly field: ColumnField,
    readonly values: NumberedValues,
    readonly numbers = new Map<number, readonly number[]>(),
  ) {}

  add(record: IndexRecord): void {
    const numbers = this.field.valuesOf(record).map((value) => this.values.number(value));
    this.numbers.set(record.id, numbers);
  }
}
