import { arrayAt, isObject, objectAt, type JsonObject } from '../../../lib/json.js';
import {
  annotationsOf,
  columnsOf,
  hintedColumns,
  indexItems,
  INDEXES,
  pathIn,
  rootSchema,
  SEARCH,
  searchPaths,
  specSchema,
  storageAt,
  storageVersion,
  versionsOf,
} from './definition-parts.js';
import { undeclared, writeFields } from './field-schema.js';
import { HINTS, traitsOf } from './field-types.js';
import type { ModelDraft, ModelNames, PlacedField } from './model-draft.js';
import { dottedPath, fieldNameOf, labelOf, pathOf } from './names.js';
import { inOldOrder, placedFields, storedLabel, storedPaths } from './placed-fields.js';

/** The definition for a draft. Everything that the builder does not draw is as it is stored. */
export function writeDefinition(draft: ModelDraft, names: ModelNames): JsonObject {
  const { stored = {} } = draft;
  const spec = objectAt(stored, 'spec');
  const placed = placedFields(draft.fields).filter(({ isInList }) => !isInList);
  const { kind, plural, singular, group } = names;
  const { annotations: _, ...metadata } = objectAt(stored, 'metadata');
  const annotations = writeAnnotations(stored, placed);
  return {
    ...stored,
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      ...metadata,
      name: `${plural}.${group}`,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      scope: 'Cluster',
      ...spec,
      group,
      names: { ...objectAt(spec, 'names'), kind, plural, singular },
      versions: writeVersions(draft, names, placed),
    },
  };
}

function writeVersions(
  draft: ModelDraft,
  names: ModelNames,
  placed: readonly PlacedField[],
): readonly JsonObject[] {
  const { stored = {} } = draft;
  const versions =
    draft.stored === undefined ? [{ name: names.version, served: true, storage: true }] : versionsOf(stored);
  const at = storageAt({ spec: { versions } });
  const columns = writeColumns(stored, placed);
  const selectable = writeSelectable(stored, placed);
  return versions.map((version: JsonObject, i) => {
    if (i !== at) return version;
    const { additionalPrinterColumns: _c, selectableFields: _s, ...others } = version;
    return {
      ...others,
      ...(columns.length > 0 && { additionalPrinterColumns: columns }),
      ...(selectable.length > 0 && { selectableFields: selectable }),
      schema: { ...objectAt(version, 'schema'), openAPIV3Schema: writeRoot(draft, names, placed) },
    };
  });
}

/** The schema of whole objects. */
function writeRoot(draft: ModelDraft, { kind }: ModelNames, placed: readonly PlacedField[]): JsonObject {
  const { title, stored = {} } = draft;
  const { title: _t, [HINTS]: _h, ...root } = rootSchema(stored);
  const hints = writeHints(draft, placed);
  const spec = writeSpec(draft);
  const isNeeded = 'required' in spec && !arrayAt(root, 'required').includes('spec');
  return {
    type: 'object',
    ...root,
    ...(title.trim() !== '' && title !== labelOf(kind) && { title }),
    ...(Object.keys(hints).length > 0 && { [HINTS]: hints }),
    ...(isNeeded && { required: [...arrayAt(root, 'required'), 'spec'] }),
    properties: { ...objectAt(root, 'properties'), ...(Object.keys(spec).length > 0 && { spec }) },
  };
}

/** The schema of `spec`; empty when there is none. */
function writeSpec({ fields, stored = {} }: ModelDraft): JsonObject {
  const old = specSchema(stored);
  // A `spec` without declared fields stays what it is.
  if (fields.length === 0 && old.properties === undefined) return old;
  const { required: _, ...spec } = old;
  return { type: 'object', ...spec, ...writeFields(fields, undeclared(old)) };
}

function writeHints({ icon, heading, stored = {} }: ModelDraft, placed: readonly PlacedField[]): JsonObject {
  const given = objectAt(rootSchema(stored), HINTS);
  const { title: old, icon: _i, group: _g, columns: _c, ...others } = given;
  const drawn = storedPaths(stored, dottedPath);
  const title = placed.find(({ field }) => field.isTitle);
  const kept = typeof old === 'string' && !drawn.has(old) ? old : undefined;
  const shown = title === undefined ? kept : dottedPath(title.way);
  const now = placed.filter(({ field }) => field.isColumn).map(({ way }) => dottedPath(way));
  const columns = hintedColumns(stored);
  return {
    ...(shown !== undefined && { title: shown }),
    ...(icon !== '' && { icon }),
    ...(heading !== '' && { group: heading }),
    ...(columns !== undefined && { columns: inOldOrder(columns, now, drawn) }),
    ...others,
  };
}

const pathsOf = (placed: readonly PlacedField[]): readonly string[] => placed.map(({ way }) => pathOf(way));

/** The columns of a version: the stored ones that remain, and those of new fields. */
function writeColumns(stored: JsonObject, placed: readonly PlacedField[]): readonly JsonObject[] {
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
function writeSelectable(stored: JsonObject, placed: readonly PlacedField[]): readonly JsonObject[] {
  const [now, before] = [new Set(pathsOf(placed)), storedPaths(stored)];
  return arrayAt(storageVersion(stored), 'selectableFields')
    .filter(isObject)
    .filter((one) => now.has(pathIn(one)) || !before.has(pathIn(one)));
}

/** The annotations with the indexes and the text index. */
function writeAnnotations(stored: JsonObject, placed: readonly PlacedField[]): JsonObject {
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
