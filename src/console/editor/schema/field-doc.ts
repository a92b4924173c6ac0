import { limitTexts } from '../../form/shape/keywords.js';
import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { aboutText, ITEM, getMembers, resolved, schemasAt } from '../../lib/schema.js';
import { t } from '../../texts.js';

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
    description: aboutText(schema),
    constraints: [...(isRequired ? [t`required`] : []), ...getConstraints(schema)],
  };
}

function getName(path: readonly string[]): string {
  return path.join('.').replaceAll(`.${ITEM}`, ITEM);
}

function getType(schema: JsonObject, root: JsonObject): string {
  const { type, format } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  const item = resolved(objectAt(schema, 'items'), root);
  const named = types.map((one) => (one === 'array' ? getArrayType(getType(item, root)) : one));
  const whole = named.join(' | ');
  return typeof format === 'string' ? `${whole} (${format})` : whole;
}

function getArrayType(item: string): string {
  return item === '' ? t`array` : t`array of ${item}`;
}

function getConstraints(schema: JsonObject): string[] {
  const { default: preset, example, examples, 'x-xsvc-reference': mark } = schema;
  const shown: unknown = example ?? (Array.isArray(examples) ? examples[0] : undefined);
  const choices = arrayAt(schema, 'enum').map(String);
  return [
    ...(choices.length > 0 ? [t`one of ${choices.join(', ')}`] : []),
    ...limitTexts(schema),
    ...(isObject(mark) ? [t`the name of a ${textAt(mark, 'kind') ?? ''}`] : []),
    ...(preset === undefined ? [] : [t`default ${shortened(preset)}`]),
    ...(shown === undefined ? [] : [t`for example ${shortened(shown)}`]),
    ...(schema.readOnly === true ? [t`set by the service`] : []),
    ...(schema.deprecated === true ? [t`deprecated`] : []),
  ];
}

const LENGTH_MAX = 80;

function shortened(value: unknown): string {
  const whole = JSON.stringify(value);
  return whole.length > LENGTH_MAX ? `${whole.slice(0, LENGTH_MAX)}…` : whole;
}
