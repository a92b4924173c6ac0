import type { KeyPlace, KeyRange, Snapshot, VisitPair } from '../../store/engine.js';
import { entryId, valueAt, type ValueKey } from '../../store/index/index-reader.js';
import { visitChunks } from '../../store/index/scan.js';
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
  const see: VisitPair = (_value, place) => {
    runs.add(place);
    return true;
  };
  for await (const _ of visitChunks(snapshot, range, { limit: ENTRIES_CHUNK }, see)) {
    onRead(runs.entries);
    runs.entries = 0;
    yield runs.take();
  }
  runs.end();
  yield runs.take();
}

class Runs {
  entries = 0;
  #complete: CountedRun[] = [];
  #key: ValueKey | undefined;
  #count = 0;
  #id = 0;

  constructor(private readonly matches: IdSet | undefined) {}

  add(place: KeyPlace): void {
    this.entries++;
    const id = entryId(place);
    if (this.matches?.has(id) === false) return;
    const key = valueAt(place, this.#key);
    if (key !== this.#key) {
      this.end();
      this.#key = key;
      this.#id = id;
    }
    this.#count++;
  }

  /** Ends the run of the present value. */
  end(): void {
    const key = this.#key;
    if (key !== undefined) this.#complete.push({ key, count: this.#count, id: this.#id });
    this.#count = 0;
  }

  take(): CountedRun[] {
    const complete = this.#complete;
    this.#complete = [];
    return complete;
  }
}
