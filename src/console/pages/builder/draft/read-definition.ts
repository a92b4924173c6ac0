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
  storageAt,
  versionsOf,
} from './definition-parts.js';
import type { FieldDraft, ModelDraft, ModelNames } from './model-draft.js';
import { dottedPath, fieldNameOf, labelOf, pathOf, toPlural } from './names.js';
import { readFields } from './read-field.js';

/** The draft of a definition. */
export function readDefinition(stored: JsonObject): ModelDraft {
  const root = rootSchema(stored);
  const hints = objectAt(root, HINTS);
  const names = storedNames(stored);
  return {
    title: textAt(root, 'title') ?? labelOf(names.kind),
    names,
    icon: textAt(hints, 'icon') ?? '',
    heading: textAt(hints, 'group') ?? '',
    fields: new SwitchReader(stored).read(readFields(specSchema(stored), ''), []),
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
    version: textAt(versionsOf(stored)[storageAt(stored)], 'name') ?? '',
  };
}

/** The switches of fields that are declared outside of their schemas. */
class SwitchReader {
  readonly #unique: ReadonlyMap<string, boolean>;
  readonly #searched: ReadonlySet<string>;
  readonly #columns: ReadonlySet<string>;
  readonly #hinted: readonly string[] | undefined;
  readonly #title: string | undefined;

  constructor(stored: JsonObject) {
    this.#unique = new Map(indexItems(stored).map(({ field, unique }) => [field, unique === true]));
    this.#searched = new Set(searchPaths(stored));
    this.#columns = new Set(columnsOf(stored, 'additionalPrinterColumns').map(pathIn));
    this.#hinted = hintedColumns(stored);
    this.#title = textAt(objectAt(rootSchema(stored), HINTS), 'title');
  }

  read(fields: readonly FieldDraft[], way: readonly string[]): readonly FieldDraft[] {
    return fields.map((field) => {
      const own = [...way, fieldNameOf(field)];
      const path = pathOf(own);
      const isUnique = this.#unique.get(path);
      return {
        ...field,
        isIndexed: isUnique !== undefined,
        isUnique: isUnique === true,
        isSearched: this.#searched.has(path),
        isColumn: this.#hinted?.includes(dottedPath(own)) ?? this.#columns.has(path),
        isTitle: this.#title === dottedPath(own),
        // Fields in lists have no switches.
        fields: field.type === 'group' ? this.read(field.fields, own) : field.fields,
      };
    });
  }
}
