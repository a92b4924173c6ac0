import type { JsonObject } from '../../../lib/json.js';
import type { FieldType } from './model-draft.js';

/** The keyword of hints for the console. */
export const HINTS = 'x-xsvc-console';
export const REFERENCE = 'x-xsvc-reference';
export const OPEN = 'x-kubernetes-preserve-unknown-fields';

export type IndexType = 'string' | 'boolean' | 'integer' | 'long' | 'number' | 'instant';

/** The keywords for the least and the most, and for a pattern. */
type LimitWords = readonly [least: string, most: string, pattern?: string];

/** How a type is written in a schema, and what its fields may have. */
export interface TypeTraits {
  /** The name of its icon. */
  readonly icon: string;
  /** Its keywords in the schema. */
  readonly core: JsonObject;
  /** Its hint for the input. */
  readonly widget?: string;
  readonly limits?: LimitWords;
  /** The types of an index of it, the usual one first. Absent: it cannot be indexed. */
  readonly index?: readonly IndexType[];
  readonly column?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** True when it is a text that people read: it may be the title, and in the text index. */
  readonly isText?: boolean;
  /** True when it may have a default. */
  readonly hasPreset?: boolean;
}

const TEXT = { type: 'string' };
const LENGTHS: LimitWords = ['minLength', 'maxLength', 'pattern'];
const RANGE: LimitWords = ['minimum', 'maximum'];
const ITEMS: LimitWords = ['minItems', 'maxItems'];
const LINE = { limits: LENGTHS, index: ['string'], column: 'string', isText: true, hasPreset: true } as const;
const LONG = { limits: LENGTHS, isText: true, hasPreset: true } as const;
const DAY = { column: 'date', hasPreset: true } as const;

export const TYPES: Readonly<Record<Exclude<FieldType, 'other'>, TypeTraits>> = {
  text: { icon: 'text', core: TEXT, ...LINE },
  longText: { icon: 'lines', core: TEXT, widget: 'multiline', ...LONG },
  markdown: { icon: 'receipt', core: TEXT, widget: 'markdown', ...LONG },
  number: {
    icon: 'number',
    core: { type: 'number' },
    limits: RANGE,
    index: ['number'],
    column: 'number',
    hasPreset: true,
  },
  integer: {
    icon: 'number',
    core: { type: 'integer' },
    limits: RANGE,
    index: ['long', 'integer', 'number'],
    column: 'integer',
    hasPreset: true,
  },
  boolean: {
    icon: 'toggle',
    core: { type: 'boolean' },
    index: ['boolean'],
    column: 'boolean',
    hasPreset: true,
  },
  date: { icon: 'calendar', core: { ...TEXT, format: 'date' }, index: ['string', 'instant'], ...DAY },
  dateTime: {
    icon: 'calendar',
    core: { ...TEXT, format: 'date-time' },
    index: ['instant', 'string'],
    ...DAY,
  },
  choice: { icon: 'tags', core: TEXT, index: ['string'], column: 'string', hasPreset: true },
  reference: { icon: 'link', core: TEXT, index: ['string'], column: 'string' },
  texts: { icon: 'list', core: { type: 'array' }, limits: ITEMS, index: ['string'], column: 'string' },
  group: { icon: 'folder', core: { type: 'object' } },
  groups: { icon: 'folder', core: { type: 'array' }, limits: ITEMS },
  email: { icon: 'mail', core: { ...TEXT, format: 'email' }, ...LINE },
  url: { icon: 'globe', core: { ...TEXT, format: 'uri' }, ...LINE },
  image: {
    icon: 'image',
    core: { ...TEXT, format: 'uri' },
    widget: 'image',
    hasPreset: true,
  },
  color: {
    icon: 'palette',
    core: { ...TEXT, pattern: '^#[0-9a-fA-F]{6}$' },
    widget: 'color',
    index: ['string'],
    column: 'string',
    hasPreset: true,
  },
  json: { icon: 'braces', core: { [OPEN]: true }, widget: 'code' },
};

const NOTHING: TypeTraits = { icon: 'braces', core: {} };

export function traitsOf(type: FieldType): TypeTraits {
  return type === 'other' ? NOTHING : TYPES[type];
}

/** True for types whose fields contain fields. */
export function isGroup(type: FieldType): boolean {
  return type === 'group' || type === 'groups';
}
