import { brotliDecompressSync } from 'node:zlib';
import { INERT_MESSAGES, MESSAGES } from './data/messages.js';
import { JSON_FORMS, type JsonForm } from './json-forms.js';

const SCALARS = ['string', 'bytes', 'json', 'bool', 'int32', 'int64', 'double'] as const;
/** `json` is a text in JSON, which is read as its value. */
export type ScalarType = (typeof SCALARS)[number];

/** A field of a message. {@link parseMessages} explains its flags. */
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
 * The messages that the service reads, by their names below `k8s.io`. They are parsed at the first call, and those of inert
 * kinds when one of them is wanted.
 * @throws RangeError for a message that the data lacks
 */
export function messageType(name: string): MessageType {
  known ??= parseMessages(decompressed(MESSAGES));
  const type = known.get(name) ?? (all ??= parseMessages(decompressed(INERT_MESSAGES), known)).get(name);
  if (type === undefined) throw new RangeError(`no message ${name}; run npm run kubernetes-data`);
  return type;
}

function decompressed(data: string): string {
  return brotliDecompressSync(Buffer.from(data, 'base64')).toString();
}

/** A message while its fields are added. */
interface MessageDraft extends MessageType {
  readonly fields: (MessageField | undefined)[];
  readonly always: MessageField[];
}

/**
 * Parses data of messages. A line without a number is a message, with `alone` when JSON shows only its field 1, and `atomic`
 * when it is replaced as a whole. A line with a number is a field: the number, the name in JSON, the type (`list:` repeated,
 * `map:` by texts), and
 *
 *     always                    JSON shows it when it is zero, or was not sent
 *     omitzero                  JSON leaves it out when it is zero
 *     inline                    JSON shows its members as members of the message
 *     required                  neither optional, nor left out by JSON
 *     listType, mapType, patch  the markers of lists (with their keys), maps and strategic patches (with the merge key)
 *
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
