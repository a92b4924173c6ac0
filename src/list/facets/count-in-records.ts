import { getValueKey, keyToText, type ValueKey } from '../../store/index/index-reader.js';
import type { TableIndex } from '../../store/table.js';
import { visitIndexRecords } from '../filter/evaluate.js';
import type { IdSet } from '../filter/id-set.js';
import type { ListScope } from '../scope.js';
import type { CountedRun } from './counted-run.js';

/** Like `countInEntries`, but reads the index records of a few matches; the values come in no particular order. */
export async function countInRecords(
  scope: ListScope,
  index: TableIndex,
  matches: IdSet,
): Promise<CountedRun[]> {
  const runs = new Map<string, { readonly key: ValueKey; count: number; readonly id: number }>();
  await visitIndexRecords(scope, matches.toArray(), ({ id, values }) => {
    const keys = (values.get(index.id) ?? []).map((value) => getValueKey(index, value));
    for (const [text, key] of new Map(keys.map((one) => [keyToText(one), one]))) {
      const run = runs.get(text);
      if (run === undefined) runs.set(text, { key, count: 1, id });
      else run.count++;
    }
  });
  return [...runs.values()];
}
