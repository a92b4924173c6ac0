import { entryPrefix } from '../../store/index/keys.js';
import { CHUNK, readIndexRecords } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import type { IdSet } from '../filter/id-set.js';
import type { ListScope } from '../scope.js';
import type { CountedRun } from './counted-run.js';

/** Like `countInEntries`, but reads the index records of a few matches; the values come in no particular order. */
export async function* countInRecords(
  { view, table, stats }: ListScope,
  index: TableIndex,
  matches: IdSet,
): AsyncGenerator<CountedRun[]> {
  const ids: number[] = [];
  matches.forEach((id) => ids.push(id));
  const runs = new Map<string, { prefix: Buffer; count: number; id: number }>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const records = await readIndexRecords(view.snapshot, table, ids.slice(at, at + CHUNK));
    stats.addRecords(records.length);
    for (const record of records) {
      const prefixes = (record?.values.get(index.id) ?? []).map((value) =>
        entryPrefix(index.id, index.keyType, value),
      );
      const texts = new Map(prefixes.map((prefix) => [prefix.toString('latin1'), prefix]));
      for (const [text, prefix] of texts) {
        const run = runs.get(text);
        if (run === undefined) runs.set(text, { prefix, count: 1, id: record?.id ?? 0 });
        else run.count++;
      }
    }
    yield [];
  }
  yield [...runs.values()];
}
