import type { Widget } from '../../lib/hints.js';
import { objectAt, type JsonObject } from '../../lib/json.js';
import { getGroup, type At } from './shape-of.js';

/** The type of an input. */
export type ScalarKind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'integer-or-text';

export interface ScalarShape {
  readonly shape: 'scalar';
  readonly kind: ScalarKind;
  /** The only allowed values; undefined when others are allowed. */
  readonly choices: readonly unknown[] | undefined;
  /** The model whose objects' names are the values. */
  readonly target?: Target;
  /** Of the schema. */
  readonly widget?: Widget | undefined;
  /** Of the schema: limits and format. */
  readonly schema: JsonObject;
}

/** The target model of a reference. */
export interface Target {
  readonly group: string;
  readonly kind: string;
}

export interface GroupShape {
  readonly shape: 'group';
  readonly fields: readonly Field[];
  /** Hidden members. */
  readonly hidden?: readonly string[];
}

/** Its schema has the limits of the list. */
export interface ListShape {
  readonly shape: 'list';
  readonly item: Shape;
  readonly schema: JsonObject;
}

/** An object with names of the user's choice. */
export interface MapShape {
  readonly shape: 'map';
  readonly item: Shape;
}

/** A value of one of several shapes. */
export interface UnionShape {
  readonly shape: 'union';
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly title: string;
  readonly shape: Shape;
  /** The members that a value of the branch has; with their only values, if the schema has those. */
  readonly required: JsonObject;
}

export type Shape =
  | ScalarShape
  | ListShape
  | MapShape
  | GroupShape
  | UnionShape
  /** It is edited as YAML. */
  | { readonly shape: 'other'; readonly isReadOnly?: boolean };

/** A member of an object in a form. */
export interface Field {
  readonly name: string;
  /** Its label instead of the name; empty without one. */
  readonly title: string;
  readonly shape: Shape;
  readonly description: string;
  readonly isRequired: boolean;
  /** True when two of it fit side by side. */
  readonly isHalf: boolean;
  /** The default; empty without one. */
  readonly preset: string;
  /** For a field without choices; empty without an example. */
  readonly example: string;
  /** For the name of a new object. */
  readonly naming?: Naming;
}

/** The origin of a new object's name: chosen or generated. */
export type Naming = 'chosen' | 'generated';

/** The fields of an object, in the order of the form. */
export interface ObjectFields {
  /** The name of a new object. */
  readonly name: Field | undefined;
  readonly content: readonly Field[];
  /** Labels and annotations. */
  readonly metadata: readonly Field[];
}

const NAMES: Readonly<Record<Naming, string>> = { chosen: 'name', generated: 'generateName' };
/** Metadata that people write, except a name; the rest is for programs. */
const OF_METADATA = ['labels', 'annotations'];
const NOT_IN_FORM = ['apiVersion', 'kind', 'metadata', 'status'];

/** Names are long only by exception. */
function onOneLine(shape: Shape): Shape {
  return shape.shape === 'scalar' ? { ...shape, widget: undefined } : shape;
}

/** The fields of a form for objects of a schema. @param naming undefined for an existing object, which keeps its name */
export function getFields(schema: JsonObject, naming: Naming | undefined): ObjectFields {
  const at: At = { root: schema, refs: [], fields: { count: 0 } };
  const members = getGroup(objectAt(objectAt(schema, 'properties'), 'metadata'), at);
  const name = naming === undefined ? undefined : members.find((one) => one.name === NAMES[naming]);
  return {
    name:
      name === undefined || naming === undefined
        ? undefined
        : { ...name, shape: onOneLine(name.shape), isRequired: true, naming },
    content: getGroup(schema, at).filter((one) => !NOT_IN_FORM.includes(one.name)),
    metadata: members.filter((one) => OF_METADATA.includes(one.name)),
  };
}
