import { limitTexts } from '../../form/shape/keywords.js';
import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { aboutText, getMembers, ITEM, resolved, schemasAt, type Member } from '../../lib/schema.js';
import { t } from '../../texts.js';

type FieldDoc = ReturnType<typeof getDoc>;

/** Undefined for a field that is not in the schema. */
export function docAt(root: JsonObject, path: readonly string[]): FieldDoc | undefined {
  const schemas = schemasAt(root, path).filter((schema) => Object.keys(schema).length > 0);
  const [first] = schemas;
  if (first === undefined) return undefined;
  const above = getMembers(schemasAt(root, path.slice(0, -1)), root);
  const isRequired = above.some((member) => member.name === path.at(-1) && member.isRequired);
  const name = path.join('.').replaceAll(`.${ITEM}`, ITEM);
  const schema = Object.assign({}, ...schemas.toReversed()) as JsonObject;
  return getDoc({ name, schema, isRequired }, root);
}

/** The documentation of a field. @param member its name is dotted; an item of an array is `[]` */
export function getDoc(member: Member, root: JsonObject) {
  const { name, schema, isRequired } = member;
  return {
    name,
    type: getType(schema, root),
    description: aboutText(schema),
    constraints: [...(isRequired ? [t`required`] : []), ...getConstraints(schema)],
  };
}

function getType(schema: JsonObject, root: JsonObject): string {
  const { type, format } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  const ofItem = types.includes('array') ? getType(resolved(objectAt(schema, 'items'), root), root) : '';
  const array = ofItem === '' ? t`array` : t`array of ${ofItem}`;
  const whole = types.map((one) => (one === 'array' ? array : one)).join(' | ');
  return typeof format === 'string' ? `${whole} (${format})` : whole;
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

/** The documentation of a field as elements: all content of a schema is inserted as text. */
export function docElement({ name, type, description, constraints }: FieldDoc): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-field-doc';
  const head = child(element, 'div', 'cm-field-doc-head');
  child(head, 'strong', 'cm-field-doc-name').textContent = name;
  child(head, 'span', 'cm-field-doc-type').textContent = type;
  if (description !== '') child(element, 'div', '').textContent = description;
  if (constraints.length > 0)
    child(element, 'div', 'cm-field-doc-constraints').textContent = constraints.join(' · ');
  return element;
}

function child(parent: HTMLElement, tag: string, className: string): HTMLElement {
  const element = parent.appendChild(document.createElement(tag));
  element.className = className;
  return element;
}
