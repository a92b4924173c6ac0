import { arrayAt, isObject, type JsonObject } from '../../../lib/json.js';
import {
  annotationsOf,
  columnsOf,
  hintedColumns,
  indexItems,
  INDEXES,
  pathIn,
  SEARCH,
  searchPaths,
  storageVersion,
} from './definition-parts.js';
import { traitsOf } from './field-types.js';
import type { PlacedField } from './model-draft.js';
import { fieldNameOf, labelOf, pathOf } from './names.js';
import { inOldOrder, storedLabel, storedPaths } from './placed-fields.js';

const pathsOf = (placed: readonly PlacedField[]): readonly string[] => placed.map(({ way }) => pathOf(way));

/** The columns of a version: the stored ones that remain, and those of new fields. */
export function writeColumns(stored: JsonObject, placed: readonly PlacedField[]): readonly JsonObject[] {
  const old = columnsOf(stored);
  // Hints have the columns of the console then. Those of tables are left alone.
  const isHinted = hintedColumns(stored) !== undefined;
  const known = new Set(old.map(pathIn));
  const now = placed.filter(({ field, way }) => (isHinted ? known.has(pathOf(way)) : field.isColumn));
  return inOldOrder(old.map(pathIn), pathsOf(now), storedPaths(stored)).flatMap((path) => {
    const same = old.filter((one) => pathIn(one) === path);
    const found = now.find(({ way }) => pathOf(way) === path);
    const type = found === undefined ? undefined : traitsOf(found.field.type).column;
    if (found === undefined || type === undefined) return same;
    const { field } = found;
    const name = field.label.trim() === '' ? labelOf(fieldNameOf(field)) : field.label;
    if (same.length === 0) return [{ name, type, jsonPath: path }];
    const before = storedLabel(stored, found.way);
    return same.map((one) => ({
      ...one,
      ...(one.name === before && { name }),
      // A column of text shows any value.
      ...(one.type !== 'string' && { type }),
    }));
  });
}

/** The fields that selectors of Kubernetes may name, without those that are removed. */
export function writeSelectable(stored: JsonObject, placed: readonly PlacedField[]): readonly JsonObject[] {
  const [now, before] = [new Set(pathsOf(placed)), storedPaths(stored)];
  return arrayAt(storageVersion(stored), 'selectableFields')
    .filter(isObject)
    .filter((one) => now.has(pathIn(one)) || !before.has(pathIn(one)));
}

/** The annotations with the indexes and the text index. */
export function writeAnnotations(stored: JsonObject, placed: readonly PlacedField[]): JsonObject {
  const { [INDEXES]: _i, [SEARCH]: _s, ...others } = annotationsOf(stored);
  const indexes = writeIndexes(stored, placed);
  const searched = pathsOf(placed.filter(({ field }) => field.isSearched));
  const search = inOldOrder(searchPaths(stored), searched, storedPaths(stored));
  return {
    ...others,
    ...(indexes.length > 0 && { [INDEXES]: JSON.stringify(indexes) }),
    ...(search.length > 0 && { [SEARCH]: search.join(',') }),
  };
}

function writeIndexes(stored: JsonObject, placed: readonly PlacedField[]): readonly JsonObject[] {
  const old = indexItems(stored);
  const now = placed.filter(({ field }) => field.isIndexed || field.isUnique);
  const before = old.map(({ field }) => field);
  return inOldOrder(before, pathsOf(now), storedPaths(stored)).flatMap((path): readonly JsonObject[] => {
    const known = old.filter(({ field }) => field === path).slice(0, 1);
    const field = now.find(({ way }) => pathOf(way) === path)?.field;
    const types = field && traitsOf(field.type).index;
    if (field === undefined || types === undefined) return known;
    return [
      {
        field: path,
        type: types.find((one) => one === known[0]?.type) ?? types[0],
        ...((field.type === 'texts' || field.isMany) && { multi: true }),
        ...(field.isUnique && { unique: true }),
      },
    ];
  });
}
