import type { KeyPlace, KeyRange, Snapshot } from '../../store/engine.js';
import { afterKey, idInEntry, isPrefixInEntry, prefixInPlace } from '../../store/index/keys.js';
import type { IdSet } from '../filter/id-set.js';
import type { CountedRun } from './counted-run.js';

/** Entries in one read. */
const ENTRIES_CHUNK = 4_000;

/**
 * Counts the objects of each value in a range of an index, in the order of the entries. After each chunk of entries
 * it yields the values that are complete; values without a match are left out.
 * @param matches the objects that count; undefined: all objects
 * @param onRead receives the number of entries read
 */
export async function* countInEntries(
  snapshot: Snapshot,
  range: KeyRange,
  matches: IdSet | undefined,
  onRead: (entries: number) => void,
): AsyncGenerator<CountedRun[]> {
  const runs = new Runs(matches);
  let rest = range;
  for (;;) {
    let entries = 0;
    const last = await snapshot.scanInPlace(rest, { limit: ENTRIES_CHUNK }, (_value, place) => {
      runs.add(place);
      entries++;
      return true;
    });
    onRead(entries);
    if (last === undefined) break;
    yield runs.take();
    rest = afterKey(rest, last);
  }
  runs.end();
  yield runs.take();
}

class Runs {
  private complete: CountedRun[] = [];
  private prefix: Buffer | undefined;
  private count = 0;
  private id = 0;

  constructor(private readonly matches: IdSet | undefined) {}

  add(place: KeyPlace): void {
    const id = idInEntry(place.bytes, place.end);
    if (this.matches?.has(id) === false) return;
    if (this.prefix === undefined || !isPrefixInEntry(place, this.prefix)) {
      this.end();
      this.prefix = prefixInPlace(place);
      this.id = id;
    }
    this.count++;
  }

  /** Ends the run of the present value. */
  end(): void {
    const { prefix, count, id } = this;
    if (prefix !== undefined) this.complete.push({ prefix, count, id });
    this.prefix = undefined;
    this.count = 0;
  }

  take(): CountedRun[] {
    const { complete } = this;
    this.complete = [];
    return complete;
  }
}
