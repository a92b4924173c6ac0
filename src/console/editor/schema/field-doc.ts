import { limitTexts } from '../../form/keywords.js';
import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { ITEM, getMembers, resolved, schemasAt } from '../../lib/schema.js';
import { text } from '../../texts.js';

/** The documentation of a field from a schema. */
export interface FieldDoc {
  /** Dotted; an item of an array is `[]`. */
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The constraints on its values. */
  readonly constraints: readonly string[];
}

/** Undefined for a field that is not in the schema. */
export function docAt(root: JsonObject, path: readonly string[]): FieldDoc | undefined {
  const schemas = schemasAt(root, path).filter((schema) => Object.keys(schema).length > 0);
  const [first] = schemas;
  if (first === undefined) return undefined;
  const above = getMembers(schemasAt(root, path.slice(0, -1)), root);
  const isRequired = above.some((member) => member.name === path.at(-1) && member.isRequired);
  return getDoc({
    name: getName(path),
    schema: Object.assign({}, ...schemas.toReversed()) as JsonObject,
    isRequired,
    root,
  });
}

export interface Documented {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  readonly root: JsonObject;
}

export function getDoc({ name, schema, isRequired, root }: Documented): FieldDoc {
  return {
    name,
    type: getType(schema, root),
    description: textAt(schema, 'description') ?? '',
    constraints: [...(isRequired ? [text.form.required] : []), ...getConstraints(schema)],
  };
}

function getName(path: readonly string[]): string {
  return path.join('.').replaceAll(`.${ITEM}`, ITEM);
}

function getType(schema: JsonObject, root: JsonObject): string {
  const { type, format } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  const item = resolved(objectAt(schema, 'items'), root);
  const named = types.map((one) => (one === 'array' ? text.schema.arrayOf(textAt(item, 'type') ?? '') : one));
  const whole = named.join(' | ');
  return typeof format === 'string' ? `${whole} (${format})` : whole;
}

function getConstraints(schema: JsonObject): string[] {
  const { schema: say } = text;
  const { default: preset, example, examples, 'x-xsvc-reference': mark } = schema;
  const shown: unknown = example ?? (Array.isArray(examples) ? examples[0] : undefined);
  const choices = arrayAt(schema, 'enum').map(String);
  return [
    ...(choices.length > 0 ? [say.oneOf(choices.join(', '))] : []),
    ...limitTexts(schema, say.limits),
    ...(isObject(mark) ? [say.reference(textAt(mark, 'kind') ?? '')] : []),
    ...(preset === undefined ? [] : [say.preset(shortened(preset))]),
    ...(shown === undefined ? [] : [say.example(shortened(shown))]),
    ...(schema.readOnly === true ? [say.readOnly] : []),
    ...(schema.deprecated === true ? [say.deprecated] : []),
  ];
}

const LENGTH_MAX = 80;

function shortened(value: unknown): string {
  const whole = JSON.stringify(value);
  return whole.length > LENGTH_MAX ? `${whole.slice(0, LENGTH_MAX)}…` : whole;
}
