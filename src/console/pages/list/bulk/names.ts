import { getPath, type ModelRef } from '../../../api/models.js';
import { readTable } from '../../../api/tables.js';

/** The number of objects in one commit. */
const PART = 200;

/** Names in parts. */
export function* iterateParts(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < names.length; at += PART) yield names.slice(at, at + PART);
}

/** The names of all listed objects, read on demand: by cursor, so that changes hide none. */
export async function* iterateNames(
  model: ModelRef,
  list: URLSearchParams,
): AsyncGenerator<readonly string[]> {
  const request = new URLSearchParams(list);
  request.set('limit', String(PART));
  for (;;) {
    const { rows, metadata } = await readTable(getPath(model), request);
    yield rows.map(({ object }) => object.metadata.name);
    if (metadata.continue === undefined) return;
    request.set('continue', metadata.continue);
  }
}
