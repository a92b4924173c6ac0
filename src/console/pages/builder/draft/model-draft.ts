import type { JsonObject } from '../../../lib/json.js';

/** The types of fields that the builder draws. */
export const FIELD_TYPES = [
  ...(['text', 'longText', 'markdown', 'number', 'integer', 'boolean', 'date', 'dateTime'] as const),
  ...(['choice', 'reference', 'texts', 'group', 'groups', 'email', 'url', 'image', 'color', 'json'] as const),
] as const;

/** `other`: its schema is kept as it is. */
export type FieldType = (typeof FIELD_TYPES)[number] | 'other';

export const DELETE_POLICIES = ['restrict', 'cascade', 'clear'] as const;
export type DeletePolicy = (typeof DELETE_POLICIES)[number];

/** The model that a reference leads to. */
export interface ReferenceTarget {
  readonly group: string;
  readonly kind: string;
  readonly onDelete: DeletePolicy;
}

/** Limits as they are typed; empty without one. */
export interface Limits {
  readonly least: string;
  readonly most: string;
  readonly pattern: string;
}

/** A field as it is typed. */
export interface FieldDraft {
  /** Unique in the draft; it stays when the field is renamed or moved. */
  readonly id: string;
  readonly label: string;
  /** Undefined: derived from the label. */
  readonly name: string | undefined;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly description: string;
  /** The default; empty without one. */
  readonly preset: string;
  readonly choices: readonly string[];
  /** Undefined while no model is chosen, and for other types. */
  readonly target: ReferenceTarget | undefined;
  /** True for a list of references. */
  readonly isMany: boolean;
  /** Of a group, or of the items of a list of groups. */
  readonly fields: readonly FieldDraft[];
  readonly limits: Limits;
  readonly isIndexed: boolean;
  readonly isUnique: boolean;
  readonly isSearched: boolean;
  readonly isColumn: boolean;
  readonly isTitle: boolean;
  /** Keywords of the stored schema that the builder does not draw. */
  readonly kept: JsonObject;
}

/** The names of a model in requests and objects. */
export interface ModelNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly group: string;
  readonly version: string;
}

/** A model as it is typed. */
export interface ModelDraft {
  /** The name of one object for people, such as `Blog post`. */
  readonly title: string;
  /** The names that are not derived from the title. */
  readonly names: Partial<ModelNames>;
  readonly icon: string;
  /** Its heading in the navigation. */
  readonly heading: string;
  readonly fields: readonly FieldDraft[];
  /** The definition that it changes; undefined for a new model. */
  readonly stored: JsonObject | undefined;
}

export const NO_LIMITS: Limits = { least: '', most: '', pattern: '' };

export const NEW_MODEL: ModelDraft = {
  title: '',
  names: {},
  icon: '',
  heading: '',
  fields: [],
  stored: undefined,
};

export function newField(type: FieldType, id: string): FieldDraft {
  return {
    id,
    label: '',
    name: undefined,
    type,
    isRequired: false,
    description: '',
    preset: '',
    choices: [],
    target: undefined,
    isMany: false,
    fields: [],
    limits: NO_LIMITS,
    isIndexed: false,
    isUnique: false,
    isSearched: false,
    isColumn: false,
    isTitle: false,
    kept: {},
  };
}

export interface PlacedField {
  readonly field: FieldDraft;
  /** The names from `spec` to the field. */
  readonly way: readonly string[];
  /** True in the items of a list: it has neither an index nor a column. */
  readonly isInList: boolean;
}
