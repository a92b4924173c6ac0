import { arrayAt, objectAt, type JsonObject } from '../../../lib/json.js';
import { hintedColumns, rootSchema, specSchema, storageAt, versionsOf } from './definition-parts.js';
import { HINTS } from './field-types.js';
import type { ModelDraft, ModelNames, PlacedField } from './model-draft.js';
import { dottedPath, labelOf } from './names.js';
import { inOldOrder, placedFields, storedPaths } from './placed-fields.js';
import { undeclared, writeFields } from './field-schema.js';
import { writeAnnotations, writeColumns, writeSelectable } from './write-lists.js';

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

/** The hints of the model. */
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
