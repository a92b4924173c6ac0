import { getFieldHints } from '../../lib/hints.js';
import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { resolved } from '../../lib/schema.js';
import { t } from '../../texts.js';
import { composed, getVariants } from './composed.js';
import { getLabel, type Field, type Naming, type ScalarShape, type Shape } from './shape.js';

const NAMES: Readonly<Record<Naming, string>> = { chosen: 'name', generated: 'generateName' };
/** Metadata that people write, except a name; the rest is for programs. */
const OF_METADATA = ['labels', 'annotations'];
/** Descriptions of the service for metadata, which the texts of the page translate. */
const OF_SERVICE = [
  'Unique within the model: lowercase letters, digits and "-".',
  'On create, instead of a name: the name becomes this prefix and random characters.',
  'Used to select objects.',
  'Free-form notes, not searchable.',
];
/** Members that are not fields: the identity of the object's model, and members that programs write. */
export const HIDDEN: readonly string[] = ['apiVersion', 'kind', 'metadata', 'status'];

/** The fields of a form for objects of a schema, in its order. @param naming undefined for an existing object, which keeps its name */
export function getFields(schema: JsonObject, naming: Naming | undefined) {
  const at: At = { root: schema, refs: [], fields: { count: 0 } };
  const members = getGroup(objectAt(objectAt(schema, 'properties'), 'metadata'), at).map((one) =>
    OF_SERVICE.includes(one.description) ? { ...one, description: t(one.description) } : one,
  );
  const content = getGroup(schema, at).filter((one) => !HIDDEN.includes(one.name));
  const name = naming && members.find((one) => one.name === NAMES[naming]);
  const isTaken = (fields: readonly Field[]): boolean =>
    fields.some(
      (one) =>
        (name !== undefined && getLabel(one) === getLabel(name)) ||
        (one.shape.shape === 'group' && isTaken(one.shape.fields)),
    );
  return {
    name: name && {
      ...name,
      isRequired: true,
      naming,
      ...(isTaken(content) && { title: t`Object name` }),
    },
    content,
    metadata: members.filter((one) => OF_METADATA.includes(one.name)),
  };
}

interface At {
  readonly root: JsonObject;
  /** The references on the path: a schema that contains itself is displayed once. */
  readonly refs: readonly unknown[];
  readonly fields: { count: number };
}

const OTHER: Shape = { shape: 'other' };
/** The limit of fields in a form: schemas that refer to one another have thousands. Values are fields beyond it, too. */
const FIELDS_MAX = 2_000;

function getGroup(given: JsonObject, at: At): readonly Field[] {
  const schema = composed(resolved(given, at.root), at.root);
  const required = arrayAt(schema, 'required');
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, member]) => {
    if (!isObject(member) || getFieldHints(resolved(member, at.root)).isHidden) return [];
    return [getField(name, member, at, required.includes(name))];
  });
}

function getField(name: string, given: JsonObject, at: At, isRequired: boolean): Field {
  const schema = resolved(given, at.root);
  const { default: preset, example, examples } = schema;
  at.fields.count++;
  const shape = getShape(given, at);
  return {
    name,
    shape,
    isRequired,
    isHalf: getFieldHints(schema).isHalf ?? isHalf(shape),
    preset: plain(preset),
    example: plain(example ?? (Array.isArray(examples) ? examples[0] : undefined)),
    title: textAt(schema, 'title') ?? '',
    description: textAt(schema, 'description') ?? '',
  };
}

/** The text of a value that an input can display; empty for any other. */
function plain(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

function getShape(given: JsonObject, above: At): Shape {
  const { $ref } = given;
  const schema = composed(resolved(given, above.root), above.root);
  const isEndless = $ref !== undefined && above.refs.includes($ref);
  const at = $ref === undefined ? above : { ...above, refs: [...above.refs, $ref] };
  if (schema.readOnly === true) return { shape: 'other', isReadOnly: true };
  if ('$ref' in schema || '$dynamicRef' in schema) return OTHER;
  const types = getTypes(schema);
  if (isWhole(schema, types)) return scalar(schema, 'integer-or-text');
  if (types.length === 0 && Array.isArray(schema.enum)) return getChoice(schema);
  const isTooMuch = isEndless || at.fields.count > FIELDS_MAX;
  const variants = getVariants(schema, at.root);
  if (variants !== undefined) return isTooMuch ? OTHER : getUnion(variants, at);
  if (types.length !== 1) return 'const' in schema ? getChoice(schema) : OTHER;
  switch (types[0]) {
    case 'array':
      return isTooMuch ? OTHER : getList(schema, at);
    case 'object':
      return isTooMuch ? OTHER : getObject(schema, at);
    default:
      return getScalar(schema, types[0]);
  }
}

/** Without null: an empty field is none. */
function getTypes(schema: JsonObject): readonly unknown[] {
  const types = [schema.type].flat().filter((one) => one !== 'null' && one !== undefined);
  return types.length === 0 && 'properties' in schema ? ['object'] : types;
}

/** True for a whole number or a text, such as `80` and `80%`. */
function isWhole(schema: JsonObject, types: readonly unknown[]): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return true;
  const given =
    types.length > 0 ? types : [...arrayAt(schema, 'anyOf'), ...arrayAt(schema, 'oneOf')].map(bareType);
  return (
    given.length === 2 &&
    given.includes('string') &&
    given.some((one) => one === 'integer' || one === 'number')
  );
}

const bareType = (one: unknown): unknown => (isObject(one) && !('enum' in one) ? one.type : undefined);

function getObject(schema: JsonObject, at: At): Shape {
  const { additionalProperties: more, properties } = schema;
  if (isObject(more) && !isObject(properties)) {
    const item = getShape(more, at);
    return item.shape === 'other' ? OTHER : { shape: 'map', item };
  }
  return isObject(properties) ? { shape: 'group', fields: getGroup(schema, at) } : OTHER;
}

function getList(schema: JsonObject, at: At): Shape {
  const { items, 'x-xsvc-reference': mark } = schema;
  if (!isObject(items)) return OTHER;
  // The mark of a list is that of its items.
  const item = getShape(isObject(mark) ? { ...items, 'x-xsvc-reference': mark } : items, at);
  return item.shape === 'other' ? OTHER : { shape: 'list', item, schema };
}

function getUnion(variants: readonly JsonObject[], at: At): Shape {
  const branches = variants.map((variant, i) => {
    const schema = resolved(variant, at.root);
    const names = arrayAt(schema, 'required').filter((name) => typeof name === 'string');
    const properties = objectAt(schema, 'properties');
    const fixed = names.map((name): [string, unknown] => {
      const { const: value, enum: choices } = resolved(objectAt(properties, name), at.root);
      return [
        name,
        value ?? (Array.isArray(choices) && choices.length === 1 ? (choices[0] as unknown) : undefined),
      ];
    });
    const types = getTypes(schema);
    const only = fixed.map(([, one]) => plain(one)).find((one) => one !== '');
    const required = names.length > 0 ? names.join(', ') : undefined;
    return {
      title: textAt(schema, 'title') ?? only ?? required ?? (plain(types[0]) || String(i + 1)),
      shape: getShape(variant, at),
      required: Object.fromEntries(fixed),
    };
  });
  return { shape: 'union', branches };
}

function getScalar(schema: JsonObject, type: unknown): Shape {
  if (Array.isArray(schema.enum) || 'const' in schema) return getChoice(schema);
  if (type === 'boolean' || type === 'integer' || type === 'number') return scalar(schema, type);
  if (type !== 'string') return OTHER;
  const { format, 'x-xsvc-reference': mark } = schema;
  if (isObject(mark)) {
    const target = { group: textAt(mark, 'group') ?? '', kind: textAt(mark, 'kind') ?? '' };
    return { ...scalar(schema, 'text'), target };
  }
  return scalar(schema, format === 'date' || format === 'date-time' ? format : 'text');
}

function scalar(schema: JsonObject, kind: ScalarShape['kind']): ScalarShape {
  return { shape: 'scalar', kind, choices: undefined, widget: findWidget(schema), schema };
}

function findWidget(schema: JsonObject): ScalarShape['widget'] {
  const { widget } = getFieldHints(schema);
  if (widget !== undefined) return widget;
  const { format, maxLength } = schema;
  if (format === 'password' || format === 'markdown' || format === 'multiline' || format === 'color')
    return format;
  return typeof maxLength === 'number' && maxLength > LINE_MAX ? 'multiline' : undefined;
}

/** The longest text that fits in one line: names of objects do. */
const LINE_MAX = 253;

function getChoice(schema: JsonObject): Shape {
  const given = 'const' in schema ? [schema.const] : arrayAt(schema, 'enum');
  const choices = given.filter((one) => one !== null && typeof one !== 'object');
  return { ...scalar(schema, 'text'), choices };
}

/** The longest text with space for two side by side. */
const HALF_MAX = 80;
/** The formats of long texts on one line. */
const LONG_FORMATS: readonly unknown[] = ['uri', 'url', 'uri-reference', 'iri'];
const LONG_WIDGETS: readonly unknown[] = ['markdown', 'multiline', 'code', 'image'];

/** True when two fields of a shape fit side by side. */
function isHalf(shape: Shape): boolean {
  return shape.shape === 'scalar' && (shape.kind !== 'text' || isShort(shape));
}

function isShort({ choices, target, widget, schema }: ScalarShape): boolean {
  if (choices !== undefined || target !== undefined) return true;
  const { maxLength, format } = schema;
  if (LONG_WIDGETS.includes(widget) || LONG_FORMATS.includes(format)) return false;
  return typeof maxLength !== 'number' || maxLength <= HALF_MAX;
}
