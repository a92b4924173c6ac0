import { objectAt, type JsonObject } from '../../lib/json.js';
import { getGroup, type At } from './shape-of.js';
import type { Field, Naming, Shape } from './shape.js';

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
