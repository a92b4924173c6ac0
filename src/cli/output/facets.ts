import type { Facets } from '../../service/verbs.js';
import type { CliIo } from '../io.js';
import { NONE } from './columns.js';
import { openTable } from './table.js';

const TITLES = ['FACET', 'VALUE', 'COUNT'] as const;

/** Prints the frequency of values among all matches of a list, below its rows. */
export async function printFacets(
  io: CliIo,
  facets: Facets | undefined,
  { headers }: { readonly headers: boolean },
): Promise<void> {
  if (facets === undefined || io.stdout.isClosed) return;
  const table = await openTable(io, TITLES, headers);
  for (const [field, counts] of Object.entries(facets)) {
    if (counts.length === 0) table.add([field, NONE, '0']);
    for (const { value, count } of counts)
      table.add([field, value === '' ? '""' : String(value), String(count)]);
  }
  io.stdout.write(`\n${table.flush()}`);
}
