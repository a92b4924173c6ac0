import type { KeyType } from '../../model/resource.js';
import type { FacetField } from '../../query/counts/facets.js';
import type { KeyRange } from '../../store/engine.js';
import { entriesAroundPrefix } from '../../store/index/index-reader.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import { allNames } from '../../store/index/names.js';
import type { Table, TableIndex } from '../../store/table.js';
import { type FacetValue, jsonValues } from '../facets/json-values.js';
import type { ListScope } from '../scope.js';

/** A field of a table: an index, one label of the index of labels, or the names. */
export class ColumnField {
  /** Identifies the field in the table. */
  readonly key: string;
  readonly name: string;
  readonly keyType: KeyType;
  /** True when an object may have several values. */
  readonly isMulti: boolean;
  /** Undefined for the names. */
  readonly index: TableIndex | undefined;
  /** The part of the index with the field's values. */
  readonly range: KeyRange;
  /** The start of the values, for a label. */
  readonly #prefix: Buffer;

  constructor(table: Table, { name, index: position, label }: FacetField) {
    const index = table.indexes[position];
    this.name = name;
    this.index = index;
    this.key = `${index?.id ?? 'name'} ${label ?? ''}`;
    this.keyType = index?.keyType ?? 'string';
    this.isMulti = index?.multi === true && label === undefined;
    this.#prefix = Buffer.from(label === undefined ? '' : `${label}=`);
    this.range = index === undefined ? allNames(table) : entriesAroundPrefix(index, this.#prefix);
  }

  /** The field's value in a value of the index; undefined when it is that of another label. */
  valueIn(bytes: Buffer): Buffer | undefined {
    const { length } = this.#prefix;
    return bytes.subarray(0, length).equals(this.#prefix) ? bytes.subarray(length) : undefined;
  }

  /** The encoded values of an object. */
  valuesOf({ name, values }: IndexRecord): Buffer[] {
    if (this.index === undefined) return [Buffer.from(name)];
    return (values.get(this.index.id) ?? []).flatMap((value) => this.valueIn(value) ?? []);
  }

  /** Values as in the JSON of the objects that they are read from. */
  async json(
    scope: ListScope,
    found: readonly { readonly value: Buffer; readonly id: number }[],
  ): Promise<FacetValue[]> {
    return this.index === undefined || this.#prefix.length > 0
      ? found.map(({ value }) => value.toString())
      : jsonValues(scope, this.index, found);
  }
}
