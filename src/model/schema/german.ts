import type { JsonObject } from '../object.js';
import { HINTS } from './hints.js';
import { isJsonObject, mapSubschemas } from './schema-walk.js';

/** The title and the description of fields in German, by path; `[]` stands for the items of an array. */
export type FieldTexts = Readonly<Record<string, readonly [title: string, description?: string]>>;

/** A schema of the service, with the hints of its fields in German. @param at path of the schema */
export function withGerman(texts: FieldTexts, schema: JsonObject, at = ''): JsonObject {
  const prefix = at === '' ? '' : `${at}.`;
  const copy = mapSubschemas(schema, (sub, [, member]) =>
    isJsonObject(sub) ? withGerman(texts, sub, member === undefined ? `${at}[]` : `${prefix}${member}`) : sub,
  );
  const [title, description] = texts[at] ?? [];
  if (title === undefined) return copy;
  const hint = {
    titles: { de: title },
    ...(description !== undefined && { descriptions: { de: description } }),
  };
  const members = Object.entries(copy);
  const place = members.findIndex(([name]) => name === 'description');
  // The hash of a schema depends on the order of its members.
  members.splice(place < 0 ? members.length : place, 0, [HINTS, hint]);
  return Object.fromEntries(members);
}
