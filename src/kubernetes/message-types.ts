import { brotliDecompressSync } from 'node:zlib';
import { INERT_MESSAGES } from './data/inert-messages.js';
import { MESSAGES } from './data/messages.js';
import { JSON_FORMS, type JsonForm } from './json-forms.js';

const SCALARS = ['string', 'bytes', 'json', 'bool', 'int32', 'int64', 'double'] as const;
/** `json` is a text in JSON, which is read as its value. */
export type ScalarType = (typeof SCALARS)[number];

/** A field of a message. The data explains its flags. */
export interface MessageField {
  readonly number: number;
  /** In JSON. */
  readonly name: string;
  readonly form: 'single' | 'list' | 'map';
  readonly type: ScalarType | MessageType;
  readonly isAlways: boolean;
  readonly isOmittedAtZero: boolean;
  readonly isInline: boolean;
  readonly isRequired: boolean;
  /** Markers with their values: `listType`, `mapType`, `patch`. */
  readonly markers: ReadonlyMap<string, string>;
}

/** A message of Kubernetes. */
export interface MessageType {
  readonly name: string;
  /** By their numbers. */
  readonly fields: readonly (MessageField | undefined)[];
  /** Fields that JSON shows although they were not sent. */
  readonly always: readonly MessageField[];
  /** JSON shows only the value of its field 1. */
  readonly isAlone: boolean;
  /** Undefined when its JSON is an object of its fields, or that of its field 1. */
  readonly form: JsonForm | undefined;
  /** It is replaced as a whole. */
  readonly isAtomic: boolean;
}

type Messages = ReadonlyMap<string, MessageType>;

let known: Messages | undefined;
let all: Messages | undefined;

/**
 * The messages that the service reads, by their names below `k8s.io`. They are parsed at the first call, and those of the
 * compressed data when one of them is wanted.
 * @throws RangeError for a message that the data lacks
 */
export function messageType(name: string): MessageType {
  known ??= parseMessages(MESSAGES);
  const type = known.get(name) ?? (all ??= readAll(known)).get(name);
  if (type === undefined) throw new RangeError(`no message ${name}; run npm run kubernetes-data`);
  return type;
}

function readAll(others: Messages): Messages {
  const text = brotliDecompressSync(Buffer.from(INERT_MESSAGES, 'base64')).toString();
  return parseMessages(text, others);
}

/** A message while its fields are added. */
interface MessageDraft extends MessageType {
  readonly fields: (MessageField | undefined)[];
  readonly always: MessageField[];
}

/**
 * Parses data of messages, in the format of `data/messages.ts`.
 * @param others messages that fields may have beside those of the text
 */
export function parseMessages(text: string, others: Messages = new Map()): Messages {
  const rows = text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
  const messages = new Map<string, MessageDraft>();
  for (const [name = '', ...flags] of rows) {
    if (isNumber(name)) continue;
    const [isAlone, isAtomic] = [flags.includes('alone'), flags.includes('atomic')];
    messages.set(name, { name, fields: [], always: [], isAlone, isAtomic, form: JSON_FORMS.get(name) });
  }
  let message: MessageDraft | undefined;
  for (const row of rows) {
    const [first = ''] = row;
    if (!isNumber(first)) message = messages.get(first);
    else {
      const field = parseField(row, (type) => messages.get(type) ?? others.get(type));
      if (message !== undefined) message.fields[field.number] = field;
      if (field.isAlways) message?.always.push(field);
    }
  }
  return messages;
}

function isNumber(word: string): boolean {
  return /^\d/.test(word);
}

function parseField(
  [number, name = '', typeWord = '', ...words]: readonly string[],
  findMessage: (name: string) => MessageType | undefined,
): MessageField {
  const [form, typeName] = typeWord.includes(':') ? typeWord.split(':') : ['single', typeWord];
  const type = findMessage(typeName ?? '') ?? SCALARS.find((scalar) => scalar === typeName);
  if (type === undefined) throw new RangeError(`no message ${typeName}`);
  return {
    number: Number(number),
    name,
    form: form === 'list' || form === 'map' ? form : 'single',
    type,
    isAlways: words.includes('always'),
    isOmittedAtZero: words.includes('omitzero'),
    isInline: words.includes('inline'),
    isRequired: words.includes('required'),
    markers: new Map(words.map((word) => [word.split('=', 1)[0] ?? '', word.replace(/^.*?=/, '')])),
  };
}
