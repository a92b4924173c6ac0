import { formatExcerpt } from '../../errors.js';
import { joinPath } from '../../lib/json/json.js';
import type { Json, JsonObject } from '../object.js';
import { HINTS, WIDGETS, WIDTHS } from './hints.js';
import { getEntries, getFields, getTypes, isJsonObject, schemaParts } from './schema-walk.js';

export interface HintFault {
  /** The member of the hints; undefined for the hints as a whole. */
  readonly member: string | undefined;
  readonly text: string;
}

export interface HintPlace {
  readonly schema: JsonObject;
  /** The schema of the whole object, with all definitions. */
  readonly root: JsonObject;
  /** A model is a whole object; a named type may be either. */
  readonly of: 'model' | 'field' | 'any';
}

/** The wrong hints of a schema; none when it has no hints. */
export function findHintFaults(place: HintPlace): readonly HintFault[] {
  const { [HINTS]: hints } = place.schema;
  if (hints === undefined) return [];
  if (!isJsonObject(hints)) return [{ member: undefined, text: `must be an object, got ${shown(hints)}` }];
  const known = Object.keys(MEMBERS).filter((name) => place.of === 'any' || OF[place.of].includes(name));
  return getEntries(hints).flatMap(([member, value]) => {
    const check = known.includes(member) ? MEMBERS[member] : undefined;
    if (check === undefined) {
      const text = `is not a hint of a ${place.of === 'any' ? 'type' : place.of}; known hints: ${known.join(', ')}`;
      return [{ member, text }];
    }
    return check(value, place).map((text) => ({ member, text }));
  });
}

/** Formats a fault for the message of a schema. */
export function describeHintFault({ member, text }: HintFault): string {
  return `${member === undefined ? HINTS : joinPath(HINTS, member)} ${text}`;
}

const OF: Readonly<Record<'model' | 'field', readonly string[]>> = {
  model: ['title', 'icon', 'group', 'columns', 'titles', 'kinds', 'descriptions'],
  field: ['hidden', 'widget', 'width', 'titles', 'descriptions'],
};

type CheckHint = (value: Json, place: HintPlace) => readonly string[];

const MEMBERS: Readonly<Record<string, CheckHint>> = {
  title: titleFaults,
  icon: nameFaults,
  group: nameFaults,
  columns: columnFaults,
  hidden: (value) => (typeof value === 'boolean' ? [] : [`must be true or false, got ${shown(value)}`]),
  widget: widgetFaults,
  width: (value) => choiceFaults(value, WIDTHS),
  titles: textFaults,
  kinds: textFaults,
  descriptions: textFaults,
};

function titleFaults(value: Json, { schema, root }: HintPlace): readonly string[] {
  const example = 'the path of a text field, such as "spec.title"';
  if (typeof value !== 'string') return [`must be ${example}, got ${shown(value)}`];
  const parts = findFieldParts(root, schema, value);
  if (parts === undefined) return [`names no field: ${shown(value)}; it must be ${example}`];
  const types = getTypes(parts);
  if (types.length === 0 || types.includes('string')) return [];
  return [`must name a text field, but ${value} is of type ${types.join(' or ')}`];
}

function nameFaults(value: Json): readonly string[] {
  if (typeof value === 'string' && value.trim() !== '') return [];
  return [`must be a text that is not empty, got ${shown(value)}`];
}

function textFaults(value: Json): readonly string[] {
  const example = 'an object with a text for each language, such as {"de": "Produkte"}';
  if (!isJsonObject(value)) return [`must be ${example}, got ${shown(value)}`];
  return getEntries(value).flatMap(([tag, text]) => {
    if (!isLanguageTag(tag))
      return [`has ${shown(tag)}, which is not a language tag such as "de" or "pt-BR"`];
    if (typeof text === 'string' && text.trim() !== '') return [];
    return [`must have a text that is not empty for ${tag}, got ${shown(text)}`];
  });
}

function isLanguageTag(tag: string): boolean {
  try {
    return /^[a-z]{2,3}(-|$)/.test(tag) && Intl.getCanonicalLocales(tag)[0] === tag;
  } catch {
    return false;
  }
}

function columnFaults(value: Json, { schema, root }: HintPlace): readonly string[] {
  const example = 'a list of the paths of fields, such as ["spec.title"]';
  if (!Array.isArray(value)) return [`must be ${example}, got ${shown(value)}`];
  return value.flatMap((column: Json, i) => {
    if (typeof column !== 'string') return [`must be ${example}, got ${shown(column)} at position ${i + 1}`];
    if (value.indexOf(column) < i) return [`names a field twice: ${shown(column)}`];
    const isField = findFieldParts(root, schema, column) !== undefined;
    return isField ? [] : [`names no field: ${shown(column)}; it must be ${example}`];
  });
}

/** The types of values that an input can edit; absent for any. */
const TYPES_OF_WIDGETS: Readonly<Record<string, readonly string[]>> = {
  markdown: ['string'],
  multiline: ['string'],
  color: ['string'],
  password: ['string'],
  image: ['string'],
  slider: ['integer', 'number'],
};

function widgetFaults(value: Json, { schema, root }: HintPlace): readonly string[] {
  const unknown = choiceFaults(value, WIDGETS);
  if (unknown.length > 0 || typeof value !== 'string') return unknown;
  const parts = schemaParts(root, schema);
  const allowed = TYPES_OF_WIDGETS[value];
  const types = getTypes(parts);
  if (allowed !== undefined && types.some((type) => !allowed.includes(type)))
    return [`${value} needs a field of type ${allowed.join(' or ')}; it is of type ${types.join(' or ')}`];
  const isBounded = ['minimum', 'maximum'].every((bound) =>
    parts.some((part) => typeof part[bound] === 'number'),
  );
  return value !== 'slider' || isBounded ? [] : ['slider needs a field with a minimum and a maximum'];
}

function choiceFaults(value: Json, known: readonly string[]): readonly string[] {
  if (typeof value === 'string' && known.includes(value)) return [];
  return [`must be one of ${known.join(', ')}, got ${shown(value)}`];
}

/** The schemas of the field at a dotted path, also of a member of a map; undefined when it is not declared. */
function findFieldParts(
  root: JsonObject,
  schema: JsonObject,
  path: string,
): readonly JsonObject[] | undefined {
  let parts = schemaParts(root, schema);
  for (const name of path.split('.')) {
    const members = parts.flatMap((part) => getMembers(part, name));
    if (members.length === 0) return undefined;
    parts = members.flatMap((member) => schemaParts(root, member));
  }
  return parts;
}

function getMembers(part: JsonObject, name: string): readonly Json[] {
  const declared = getFields([part]).get(name);
  if (declared !== undefined) return declared;
  return isJsonObject(part.additionalProperties) ? [part.additionalProperties] : [];
}

function shown(value: Json): string {
  return formatExcerpt(JSON.stringify(value));
}
