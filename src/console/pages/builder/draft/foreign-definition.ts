import type { Model } from '../../../api/models.js';
import { arrayAt, isObject, objectAt, type JsonObject } from '../../../lib/json.js';
import { INDEXES, SEARCH } from './definition-parts.js';

/** The limit of depth, because schemas may contain themselves. */
const DEPTH_MAX = 8;

/** A model of a plugin as a definition, to be looked at. */
export function definitionOf(model: Model): JsonObject {
  const { group, version, kind, plural, singular, schema, columns, indexes } = model;
  const items = indexes
    .filter(({ name, keyType }) => keyType !== 'text' && !name.startsWith('metadata.'))
    .map(({ name, keyType, multi, unique }) => ({ field: `.${name}`, type: keyType, multi, unique }));
  const hasText = indexes.some(({ keyType }) => keyType === 'text');
  return {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { [INDEXES]: JSON.stringify(items), ...(hasText && { [SEARCH]: '.metadata.search' }) },
    },
    spec: {
      group,
      names: { kind, plural, singular },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: inlined(schema, schema, 0) },
        },
      ],
    },
  };
}

/** A schema with its named types in their places. */
function inlined(given: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { $ref, allOf, $defs: _, ...own } = given;
  if (depth > DEPTH_MAX) return own;
  const named =
    typeof $ref === 'string' ? objectAt(objectAt(root, '$defs'), $ref.replace('#/$defs/', '')) : {};
  const parts = arrayAt({ allOf }, 'allOf').filter(isObject);
  const [part] = parts;
  const only = parts.length === 1 && part !== undefined ? part : {};
  const base = { ...named, ...only };
  if (Object.keys(base).length > 0) return inlined({ ...base, ...own }, root, depth + 1);
  const schema: JsonObject = parts.length > 0 ? { ...own, allOf } : own;
  const { properties, items } = schema;
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [
          name,
          isObject(one) ? inlined(one, root, depth + 1) : one,
        ]),
      ),
    }),
    ...(isObject(items) && { items: inlined(items, root, depth + 1) }),
  };
}
