import { asBuffer } from '../../lib/bytes.js';
import type { Work } from '../../lib/work/work.js';
import { yieldBetween } from '../../lib/work/yield.js';
import type { KeyRange, VisitPair } from '../engine.js';
import { afterKey, revisionInLogKey } from '../index/keys.js';
import { decodeEntryHead, decodeLogEntry } from './log.js';
import { nameIn } from '../object-record.js';
import type { ReadView } from '../read-view.js';
import type { Table } from '../table.js';

/** Log entries read without a break: mostly only their first bytes. */
const CHUNK = 1_000;

/** The object whose removal is searched. */
export interface Removed {
  readonly table: Table;
  readonly name: string;
  /** Ends the search early, and counts log entries. */
  readonly work: Work | undefined;
}

/**
 * The revision of the last change in a part of the log that removed an object with a name. Reads the part backwards.
 */
export async function lastRemoval(
  view: ReadView,
  range: KeyRange,
  removed: Removed,
): Promise<number | undefined> {
  for await (const { entries, revision } of yieldBetween(chunks(view, range, removed), removed.work)) {
    removed.work?.addEntries(entries);
    if (revision !== undefined) return revision;
  }
  return undefined;
}

interface Chunk {
  readonly entries: number;
  readonly revision: number | undefined;
}

async function* chunks(view: ReadView, range: KeyRange, removed: Removed): AsyncGenerator<Chunk> {
  const options = { limit: CHUNK, reverse: true };
  for (let rest: KeyRange | undefined = range; rest !== undefined;) {
    let entries = 0;
    let revision: number | undefined;
    const visit: VisitPair = (value, { bytes, start }) => {
      entries++;
      if (isRemoval(value, removed)) revision = revisionInLogKey(asBuffer(bytes.subarray(start)));
      return revision === undefined;
    };
    const last: Buffer | undefined = await view.snapshot.scanInPlace(rest, options, visit);
    yield { entries, revision };
    rest = last && afterKey(range, last);
  }
}

function isRemoval(value: Uint8Array, { table, name }: Removed): boolean {
  const { type, modelId } = decodeEntryHead(value);
  if (type !== 'DELETED' || modelId !== table.modelId) return false;
  return nameIn(decodeLogEntry(asBuffer(value)).record) === name;
}
