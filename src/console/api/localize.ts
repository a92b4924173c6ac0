import { isObject, objectAt, textAt, type JsonObject } from '../lib/json.js';
import { HINTS } from '../lib/hints.js';
import { resolved } from '../lib/schema.js';

interface ModelTexts {
  readonly schema: JsonObject;
  readonly columns: readonly { readonly jsonPath: string; readonly title?: string }[];
}

/** The models as they were read, with those in a language. */
const known = new Map<string, WeakMap<object, unknown>>();

/**
 * Models with their titles and descriptions in a language, as far as their hints have them. The same models have the same
 * result.
 */
export function localizeModels<M extends ModelTexts>(models: readonly M[], language: string): readonly M[] {
  const ofLanguage = known.get(language) ?? new WeakMap<object, unknown>();
  known.set(language, ofLanguage);
  const localized = ofLanguage.get(models) as readonly M[] | undefined;
  if (localized !== undefined) return localized;
  const made = models.map((model) => localizeModel(model, language));
  ofLanguage.set(models, made);
  return made;
}

/** @param language as in the hints; one without texts changes nothing */
export function localizeModel<M extends ModelTexts>(model: M, language: string): M {
  const schema = localizeSchema(model.schema, language);
  const kindTitle = textIn(model.schema, 'kinds', language);
  if (schema === model.schema && kindTitle === undefined) return model;
  const columns = model.columns.map((column) => {
    const title = columnTitle(schema, column.jsonPath, language);
    return title === undefined ? column : { ...column, title };
  });
  return { ...model, schema, columns, ...(kindTitle !== undefined && { kindTitle }) };
}

/** The title of the field of a column; of a value in an object without a title, that of the object. */
export function columnTitle(root: JsonObject, jsonPath: string, language: string): string | undefined {
  let [at, title]: [JsonObject, string | undefined] = [root, undefined];
  for (const name of jsonPath.replace(/^\./, '').replaceAll('[*]', '').split('.')) {
    const { items } = at;
    const object = isObject(items) ? resolved(items, root) : at;
    at = resolved(objectAt(objectAt(object, 'properties'), name), root);
    title = textIn(at, 'titles', language) ?? title;
  }
  return title;
}

function textIn(
  schema: JsonObject,
  hint: 'titles' | 'kinds' | 'descriptions',
  language: string,
): string | undefined {
  return textAt(objectAt(objectAt(schema, HINTS), hint), language);
}

/** A schema with the texts of its hints in a language; the same one when they have none. */
export function localizeSchema(schema: JsonObject, language: string): JsonObject {
  const members = Object.entries(schema).map(
    ([name, member]) => [name, localizeAny(member, language)] as const,
  );
  const title = textIn(schema, 'titles', language);
  const description = textIn(schema, 'descriptions', language);
  const isSame = members.every(([name, member]) => member === schema[name]);
  if (isSame && title === undefined && description === undefined) return schema;
  return {
    ...Object.fromEntries(members),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

function localizeAny(value: unknown, language: string): unknown {
  if (isObject(value)) return localizeSchema(value, language);
  if (!Array.isArray(value)) return value;
  const items = value.map((item: unknown) => localizeAny(item, language));
  return items.every((item, i) => item === value[i]) ? value : items;
}
