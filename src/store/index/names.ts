import { readU48 } from '../../lib/bytes.js';
import type { KeyPlace, KeyRange, Snapshot } from '../engine.js';
import type { Table } from '../table.js';
import { afterKey, getNames, nameBytesInPlace, nameKey } from './keys.js';
import { CHUNK, type Direction } from './scan.js';

export interface NameWalkOptions {
  readonly direction: Direction;
  /** Number of objects that the caller wants first. Default: a whole chunk. */
  readonly first?: number;
  /** Receives the number of pairs read. */
  readonly onRead?: ((pairs: number) => void) | undefined;
  /** Objects to skip, by id, before any other work on them. */
  readonly skips?: ((id: number) => boolean) | undefined;
  /** Only names with this start. Default: all. */
  readonly prefix?: string | undefined;
  /** Begins after this name, which need not be that of an object. */
  readonly after?: { readonly name: string } | undefined;
}

/** Walks the ids of all objects of a table by name, in the order of code points. A chunk may be empty. */
export async function* walkNames(
  snapshot: Snapshot,
  { modelId }: Table,
  { direction, first = CHUNK, onRead, skips, prefix, after }: NameWalkOptions,
): AsyncGenerator<number[]> {
  let range = getNames(modelId, prefix);
  if (after !== undefined) range = afterKey(range, nameKey(modelId, after.name));
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const ids: number[] = [];
    let pairs = 0;
    const last = await snapshot.scanInPlace(range, { limit, reverse: direction === 'desc' }, (value) => {
      pairs++;
      const id = readU48(value);
      if (skips?.(id) !== true) ids.push(id);
      return true;
    });
    onRead?.(pairs);
    yield ids;
    if (last === undefined) return;
    range = afterKey(range, last);
  }
}

/** The pairs of all names, for {@link nameAt} and {@link idOfName}. */
export function allNames({ modelId }: Table): KeyRange {
  return getNames(modelId);
}

/** The bytes of a name, without a copy. */
export function nameAt(place: KeyPlace): Uint8Array {
  return nameBytesInPlace(place);
}

/** @param value that of the pair */
export function idOfName(value: Uint8Array): number {
  return readU48(value);
}
