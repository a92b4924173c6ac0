import { arrayAt, objectAt, type JsonObject } from '../../../lib/json.js';
import { hintedColumns, rootSchema, specSchema, storageAt, versionsOf } from './definition-parts.js';
import { HINTS } from './field-types.js';
import type { ModelDraft, ModelNames, PlacedField } from './model-draft.js';
import { dottedPath, labelOf } from './names.js';
import { inOldOrder, placedFields, storedPaths } from './placed-fields.js';
import { writeFields } from './write-field.js';
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
  const { stored } = draft;
  const versions =
    stored === undefined ? [{ name: names.version, served: true, storage: true }] : versionsOf(stored);
  const at = storageAt({ spec: { versions } });
  return versions.map((version, i) => {
    if (i !== at) return version;
    const { additionalPrinterColumns: _c, selectableFields: _s, ...others } = version;
    const columns = writeColumns(stored ?? {}, placed);
    const selectable = writeSelectable(stored ?? {}, placed);
    return {
      ...others,
      ...(columns.length > 0 && { additionalPrinterColumns: columns }),
      ...(selectable.length > 0 && { selectableFields: selectable }),
      schema: { ...objectAt(version, 'schema'), openAPIV3Schema: writeRoot(draft, names, placed) },
    };
  });
}

/** The schema of whole objects. */
export function writeRoot(
  draft: ModelDraft,
  { kind }: ModelNames,
  placed: readonly PlacedField[],
): JsonObject {
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
  const { properties: old, required: names, ...spec } = specSchema(stored);
  // A `spec` without declared fields stays what it is.
  if (fields.length === 0 && old === undefined) return specSchema(stored);
  const declared = objectAt({ old }, 'old');
  const undeclared = Array.isArray(names)
    ? names.filter((name) => !Object.hasOwn(declared, String(name)))
    : [];
  return { type: 'object', ...spec, ...writeFields(fields, undeclared) };
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
