import { isRecord } from '../../lib/json/json.js';
import { bytesOfValue, decodeValue, inCaseOf } from '../../model/key-type.js';
import type { KeyType } from '../../model/resource.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { CountedValue } from './counted-run.js';

export type FacetValue = string | number | boolean;

interface Source {
  readonly view: ReadView;
  readonly table: Table;
}

/** Key types whose equal values may have different texts in objects. */
const WITH_SEVERAL_FORMS: readonly KeyType[] = ['instant', 'long'];
/** Objects in one read: they may be large. */
const OBJECTS_CHUNK = 20;

/**
 * Values of an index as in the objects' JSON. Where the index does not determine the text, it is read from the object
 * that the value was counted with. When that object has no equal value in the index's field, the index's own form is
 * used.
 */
export async function jsonValues(
  { view, table }: Source,
  index: TableIndex,
  counted: readonly Omit<CountedValue, 'count'>[],
): Promise<FacetValue[]> {
  const { keyType } = index;
  if (!index.ignoreCase && !WITH_SEVERAL_FORMS.includes(keyType))
    return counted.map(({ value }) => ownForm(keyType, value));
  const path = index.name.split('.');
  const values: FacetValue[] = [];
  for (let at = 0; at < counted.length; at += OBJECTS_CHUNK) {
    const some = counted.slice(at, at + OBJECTS_CHUNK);
    const stored = await view.readMany(
      table,
      some.map(({ id }) => id),
    );
    for (const [i, { value }] of some.entries()) {
      const bytes = stored[i]?.bytes;
      const object = bytes && table.parseForIndexes(bytes);
      const isCounted = (one: unknown): boolean =>
        bytesOfValue(keyType, inCaseOf(index, one))?.equals(value) === true;
      const found = valuesAt(object, path).find(isCounted);
      values.push(isFacetValue(found) ? found : ownForm(keyType, value));
    }
  }
  return values;
}

function ownForm(keyType: KeyType, bytes: Buffer): FacetValue {
  const value = decodeValue(keyType, bytes);
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function isFacetValue(value: unknown): value is FacetValue {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The values at a path, in all items of the arrays on it. */
function valuesAt(value: unknown, [member, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => valuesAt(item, member === undefined ? [] : [member, ...rest]));
  }
  if (member === undefined) return [value];
  return isRecord(value) && Object.hasOwn(value, member) ? valuesAt(value[member], rest) : [];
}
