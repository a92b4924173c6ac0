import { specSchema } from './definition-parts.js';
import type { FieldDraft, ModelDraft } from './model-draft.js';
import { fieldNameOf, labelOf } from './names.js';
import { objectAt, textAt } from '../../../lib/json.js';

/** A stored field that a draft does not have any more. */
export interface RemovedField {
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
      const same: FieldDraft | undefined = fields.find(({ id }) => id === `/${name}`);
      const label = textAt(schema, 'title') ?? labelOf(name);
      return { name, label, renamedTo: same === undefined ? undefined : fieldNameOf(same) };
    });
}
