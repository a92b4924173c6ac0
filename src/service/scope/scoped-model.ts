import type { FieldSet } from '../../lib/json/field-set.js';
import type { ExtensionObject } from '../../model/object.js';
import { bind } from '../../query/bind.js';
import { compile, type Values } from '../../query/compile.js';
import { NAME } from '../../query/fields.js';
import { fullName } from '../../model/full-name.js';
import { parseObject } from '../../store/object-record.js';
import type { ModelView } from '../read/view.js';
import { fieldSetOf, hidesFields, type ObjectScope } from './object-scope.js';

/** The fields of an object that are in a scope. */
export type ScopeFields = FieldSet | 'all';

/** A part of a scope, for the objects of a state of the model. */
interface BoundPart {
  readonly holds: (values: Values) => boolean;
  readonly fields: FieldSet | undefined;
}

/** Judges single objects by a scope: those of lists are found by the indexes. */
export class ScopedModel {
  readonly hidesFields: boolean;
  readonly #parts: readonly BoundPart[];
  /** Of combinations of parts. */
  readonly #unions = new Map<string, ScopeFields>();

  /** @throws ServiceError `BadRequest` when the model does not have a field of the scope */
  constructor(
    private readonly model: ModelView,
    scope: ObjectScope,
  ) {
    this.hidesFields = hidesFields(scope);
    const stored = model.table.resource;
    this.#parts = scope.parts.map(({ conditionIn, fields }) => ({
      holds: compile(bind(conditionIn(stored), stored)),
      fields,
    }));
  }

  /**
   * The fields of an object that are in the scope; undefined for an object outside of it.
   * @param stored in any stored version
   * @throws ConversionError
   */
  fieldsOf(stored: ExtensionObject): ScopeFields | undefined {
    const values = this.#valuesOf(this.model.toStorage(stored));
    const held = this.#parts.filter(({ holds }) => holds(values));
    if (held.length === 0) return undefined;
    if (held.some(({ fields }) => fields === undefined)) return 'all';
    const paths = held.flatMap(({ fields }) => fields?.paths ?? []);
    const key = paths.join('\n');
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const fields = fieldSetOf(paths);
    this.#unions.set(key, fields);
    return fields;
  }

  /**
   * An object as JSON with the fields of the scope; undefined for an object outside of it.
   * @param json in the version of the answer
   * @param stored the same object as it is stored
   */
  show(json: Buffer, stored: Buffer): Buffer | undefined {
    const object = parseObject(stored);
    const fields = this.fieldsOf(object);
    if (fields === undefined || fields === 'all') return fields && json;
    return Buffer.from(JSON.stringify(fields.pick(json === stored ? object : parseObject(json))));
  }

  /** The values of an object in the indexes; none in an index whose code is not loaded, or fails. */
  #valuesOf(object: ExtensionObject): Values {
    const { indexes } = this.model.table;
    return (position) => {
      if (position === NAME) return [Buffer.from(fullName(this.model.resource, object.metadata))];
      try {
        return indexes[position]?.declared?.values(object) ?? [];
      } catch {
        return [];
      }
    };
  }
}

/**
 * A stored object as JSON, with the fields of a scope; undefined for an object outside of it.
 * @throws ConversionError
 */
export function shownWithin(
  model: ModelView,
  stored: Buffer,
  scope: ObjectScope | undefined,
): Buffer | undefined {
  const json = model.json(stored);
  return scope === undefined ? json : new ScopedModel(model, scope).show(json, stored);
}

/** An object with the fields of a scope. */
export function picked(object: ExtensionObject, fields: ScopeFields): ExtensionObject {
  // The set has all fields that every object has.
  return fields === 'all' ? object : (fields.pick(object) as ExtensionObject);
}
