import { objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { HINTS } from './field-types.js';
import {
  columnsOf,
  hintedColumns,
  indexItems,
  pathIn,
  rootSchema,
  searchPaths,
  specSchema,
  storageVersion,
} from './definition-parts.js';
import type { FieldDraft, ModelDraft, ModelNames } from './model-draft.js';
import { dottedPath, fieldNameOf, labelOf, pathOf, toPlural } from './names.js';
import { readFields } from './field-schema.js';

export function readDefinition(stored: JsonObject): ModelDraft {
  const root = rootSchema(stored);
  const hints = objectAt(root, HINTS);
  const names = storedNames(stored);
  return {
    title: textAt(root, 'title') ?? labelOf(names.kind),
    names,
    icon: textAt(hints, 'icon') ?? '',
    heading: textAt(hints, 'group') ?? '',
    fields: withSwitches(stored, readFields(specSchema(stored), '')),
    stored,
  };
}

function storedNames(stored: JsonObject): ModelNames {
  const spec = objectAt(stored, 'spec');
  const given = objectAt(spec, 'names');
  const kind = textAt(given, 'kind') ?? '';
  const singular = textAt(given, 'singular') ?? kind.toLowerCase();
  return {
    kind,
    singular,
    plural: textAt(given, 'plural') ?? toPlural(singular),
    group: textAt(spec, 'group') ?? '',
    version: textAt(storageVersion(stored), 'name') ?? '',
  };
}

/** The fields with the switches that are declared outside of their schemas. */
function withSwitches(stored: JsonObject, fields: readonly FieldDraft[]): readonly FieldDraft[] {
  const unique = new Map(indexItems(stored).map(({ field, unique: isUnique }) => [field, isUnique === true]));
  const searched = searchPaths(stored);
  const columns = columnsOf(stored).map(pathIn);
  const hinted = hintedColumns(stored);
  const title = textAt(objectAt(rootSchema(stored), HINTS), 'title');
  const read = (given: readonly FieldDraft[], way: readonly string[]): readonly FieldDraft[] =>
    given.map((field) => {
      const own = [...way, fieldNameOf(field)];
      const path = pathOf(own);
      return {
        ...field,
        isIndexed: unique.has(path),
        isUnique: unique.get(path) === true,
        isSearched: searched.includes(path),
        isColumn: hinted?.includes(dottedPath(own)) ?? columns.includes(path),
        isTitle: title === dottedPath(own),
        // Fields in lists have no switches.
        fields: field.type === 'group' ? read(field.fields, own) : field.fields,
      };
    });
  return read(fields, []);
}
