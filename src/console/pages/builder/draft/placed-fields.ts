import { isObject, objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { specSchema } from './definition-parts.js';
import { isGroup } from './field-types.js';
import type { FieldDraft, ModelDraft, PlacedField } from './model-draft.js';
import { fieldNameOf, labelOf, pathOf } from './names.js';

/** All fields with their places, groups before their fields. */
export function placedFields(
  fields: readonly FieldDraft[],
  way: readonly string[] = [],
  isInList = false,
): readonly PlacedField[] {
  return fields.flatMap((field) => {
    const own = [...way, fieldNameOf(field)];
    const below = isGroup(field.type)
      ? placedFields(field.fields, own, isInList || field.type === 'groups')
      : [];
    return [{ field, way: own, isInList }, ...below];
  });
}

/** The paths of the stored fields that the builder may draw. */
export function storedPaths(
  stored: JsonObject,
  format: (way: readonly string[]) => string = pathOf,
): ReadonlySet<string> {
  const walk = (schema: JsonObject, way: readonly string[]): readonly string[] =>
    Object.entries(objectAt(schema, 'properties')).flatMap(([name, member]) => {
      const own = [...way, name];
      return [format(own), ...(isObject(member) ? walk(member, own) : [])];
    });
  return new Set(walk(specSchema(stored), []));
}

export function storedLabel(stored: JsonObject, way: readonly string[]): string {
  const schema = way.reduce((at, name) => objectAt(objectAt(at, 'properties'), name), specSchema(stored));
  return textAt(schema, 'title') ?? labelOf(way.at(-1) ?? '');
}

/** The old ones that remain, or that are not drawn, and then the new ones. */
export function inOldOrder(
  old: readonly string[],
  now: readonly string[],
  drawn: ReadonlySet<string>,
): readonly string[] {
  const kept = old.filter((path) => now.includes(path) || !drawn.has(path));
  return [...kept, ...now.filter((path) => !kept.includes(path))];
}

/** A stored field that a draft does not have any more. */
interface RemovedField {
  readonly label: string;
  readonly name: string;
  /** The name of the field that replaces it, which is another field for objects; undefined without one. */
  readonly renamedTo: string | undefined;
}

/** The stored fields of `spec` that a draft removes or renames. */
export function removedFields({ fields, stored = {} }: ModelDraft): readonly RemovedField[] {
  const now = new Set(fields.map(fieldNameOf));
  return Object.entries(objectAt(specSchema(stored), 'properties'))
    .filter(([name]) => !now.has(name))
    .map(([name, schema]) => {
      const same = fields.find(({ id }) => id === `/${name}`);
      return { name, label: textAt(schema, 'title') ?? labelOf(name), renamedTo: same && fieldNameOf(same) };
    });
}
