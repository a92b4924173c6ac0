import { getPath, type ModelRef } from '../../../api/models.js';
import { iterateList, readTable } from '../../../api/tables.js';

/** The number of objects in one commit. */
const PART = 200;

/** Names in parts. */
export function* iterateParts(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < names.length; at += PART) yield names.slice(at, at + PART);
}

/** The names of all listed objects, read on demand. */
export function iterateNames(model: ModelRef, list: URLSearchParams): AsyncGenerator<readonly string[]> {
  return iterateList(list, PART, async (request) => {
    const { rows, metadata } = await readTable(getPath(model), request);
    return [rows.map(({ object }) => object.metadata.name), metadata.continue];
  });
}
