import type { JsonObject } from '../../../lib/json.js';
import type { FieldType } from './model-draft.js';

/** The keyword of hints for the console. */
export const HINTS = 'x-xsvc-console';
export const REFERENCE = 'x-xsvc-reference';
export const OPEN = 'x-kubernetes-preserve-unknown-fields';

type IndexType = 'string' | 'boolean' | 'integer' | 'long' | 'number' | 'instant';

/** The keywords for the least and the most, and for a pattern. */
type LimitWords = readonly [least: string, most: string, pattern?: string];

/** How a type is written in a schema, and what its fields may have. */
interface TypeTraits {
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
const URI = { ...TEXT, format: 'uri' };
const COLOR = { ...TEXT, pattern: '^#[0-9a-fA-F]{6}$' };
const LENGTHS: LimitWords = ['minLength', 'maxLength', 'pattern'];
const ITEMS: LimitWords = ['minItems', 'maxItems'];
const WORD = { core: TEXT, index: ['string'], column: 'string' } as const;
const LONG = { core: TEXT, limits: LENGTHS, isText: true, hasPreset: true } as const;
const LINE = { ...LONG, ...WORD } as const;
const NUMBER = { icon: 'number', limits: ['minimum', 'maximum'], hasPreset: true } as const;
const DAY = { icon: 'calendar', column: 'date', hasPreset: true } as const;

export const TYPES: Readonly<Record<Exclude<FieldType, 'other'>, TypeTraits>> = {
  text: { icon: 'text', ...LINE },
  longText: { icon: 'lines', widget: 'multiline', ...LONG },
  markdown: { icon: 'heading', widget: 'markdown', ...LONG },
  number: { ...NUMBER, core: { type: 'number' }, index: ['number'], column: 'number' },
  integer: { ...NUMBER, core: { type: 'integer' }, index: ['long', 'integer', 'number'], column: 'integer' },
  boolean: {
    icon: 'toggle',
    core: { type: 'boolean' },
    index: ['boolean'],
    column: 'boolean',
    hasPreset: true,
  },
  date: { ...DAY, core: { ...TEXT, format: 'date' }, index: ['string', 'instant'] },
  dateTime: { ...DAY, core: { ...TEXT, format: 'date-time' }, index: ['instant', 'string'] },
  choice: { icon: 'list', ...WORD, hasPreset: true },
  reference: { icon: 'link', ...WORD },
  texts: { icon: 'list', ...WORD, core: { type: 'array' }, limits: ITEMS },
  group: { icon: 'folder', core: { type: 'object' } },
  groups: { icon: 'folder', core: { type: 'array' }, limits: ITEMS },
  email: { icon: 'mail', ...LINE, core: { ...TEXT, format: 'email' } },
  url: { icon: 'globe', ...LINE, core: URI },
  image: { icon: 'image', core: URI, widget: 'image', hasPreset: true },
  color: { icon: 'palette', ...WORD, core: COLOR, widget: 'color', hasPreset: true },
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
