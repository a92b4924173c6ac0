import { getMessage } from '../../errors.js';
import { DEPTH_MAX, isRecord, parseJson } from '../../lib/json/json.js';
import type { MessageField, MessageType, ScalarType } from '../message-types.js';
import { BYTES, FIXED64, VARINT, type WireReader } from './wire.js';

type Fields = Record<string, unknown>;

/** The form on the wire of each type. A message has that of `bytes`. */
const WIRE_TYPES: Readonly<Record<ScalarType, number>> = {
  string: BYTES,
  bytes: BYTES,
  json: BYTES,
  bool: VARINT,
  int32: VARINT,
  int64: VARINT,
  double: FIXED64,
};

const ZEROS: Readonly<Record<ScalarType, unknown>> = {
  string: '',
  bytes: '',
  json: null,
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

/** Reads messages of Kubernetes as the values that its JSON of the same objects has. */
export class MessageReader {
  constructor(private readonly wire: WireReader) {}

  /**
   * Reads the fields of a message up to the end of what was entered. Fields that were sent before are merged, as
   * protobuf demands.
   * @param depth levels of lists and objects around the message
   * @throws ServiceError `BadRequest`
   */
  read(type: MessageType, depth: number, into: Fields = {}): Fields {
    const { wire } = this;
    this.#checkDepth(depth);
    while (wire.hasMore) {
      wire.message = type.name;
      wire.field = '';
      const tag = wire.tag();
      const field = type.fields[tag >>> 3];
      if (field === undefined) wire.skip(tag & 7);
      else {
        wire.field = field.name;
        this.#readField(field, tag & 7, depth + 1, into);
      }
    }
    for (const field of type.always) into[field.name] ??= zeroOf(field.type);
    return into;
  }

  #readField(field: MessageField, form: number, depth: number, into: Fields): void {
    const { name } = field;
    if (field.form !== 'single') this.#checkDepth(depth);
    if (field.form === 'list') {
      const list = into[name];
      if (Array.isArray(list)) this.#readItems(field, form, depth, list);
      else this.#readItems(field, form, depth, (into[name] = []));
    } else if (field.form === 'map') {
      const map = into[name];
      this.#readEntry(field, form, depth, isRecord(map) ? map : (into[name] = {}));
    } else if (field.isInline) this.#readValue(field, form, depth - 1, into);
    else {
      const before = typeof field.type === 'object' ? into[name] : undefined;
      const value = this.#readValue(field, form, depth, before);
      if (!field.isOmittedAtZero || !isZero(value)) into[name] = value;
      else if (into[name] !== undefined) delete into[name];
    }
  }

  #readItems(field: MessageField, form: number, depth: number, items: unknown[]): void {
    const { wire } = this;
    const single = wireTypeOf(field);
    if (form !== BYTES || single === BYTES) items.push(this.#readValue(field, form, depth + 1));
    else {
      const around = wire.enter();
      while (wire.hasMore) items.push(this.#readValue(field, single, depth + 1));
      wire.leave(around);
    }
  }

  /** An entry of a map is a message with the key in field 1 and the value in field 2. */
  #readEntry(field: MessageField, form: number, depth: number, map: Fields): void {
    const { wire } = this;
    this.#expect(form, BYTES);
    const around = wire.enter();
    let key = '';
    let value: unknown;
    while (wire.hasMore) {
      const tag = wire.tag();
      const number = tag >>> 3;
      if (number === 1) {
        this.#expect(tag & 7, BYTES);
        key = wire.text();
      } else if (number === 2) value = this.#readValue(field, tag & 7, depth + 1, value);
      else wire.skip(tag & 7);
    }
    wire.leave(around);
    if (key === '__proto__') throw wire.fault('the key __proto__ is not accepted');
    map[key] = value ?? zeroOf(field.type);
  }

  /** @param before the value of the same field that was sent before */
  #readValue(field: MessageField, form: number, depth: number, before?: unknown): unknown {
    const { wire } = this;
    const { type } = field;
    this.#expect(form, wireTypeOf(field));
    switch (type) {
      case 'string':
        return wire.text();
      case 'bytes':
        return wire.base64();
      case 'json':
        return this.#readJson(depth);
      case 'bool':
        return wire.varint() !== 0;
      case 'int32':
        return wire.varint() | 0;
      case 'int64':
        return wire.varint();
      case 'double':
        return wire.double();
      default:
        return this.#readMessage(field.name, type, depth, before);
    }
  }

  #readMessage(fieldName: string, type: MessageType, depth: number, before: unknown): unknown {
    const { wire } = this;
    const around = wire.enter();
    const { form } = type;
    const isPlain = form === undefined && !type.isAlone;
    const fields = isPlain
      ? this.read(type, depth, isRecord(before) ? before : {})
      : this.read(type, depth - 1);
    wire.leave(around);
    if (isPlain) return fields;
    const value = form === undefined ? aloneIn(type, fields) : form.value(fields);
    if (value !== undefined) return value;
    wire.field = fieldName;
    throw wire.fault(`it has no valid value of ${type.name}`);
  }

  #readJson(depth: number): unknown {
    const { wire } = this;
    const text = wire.part();
    if (text.length === 0) return null;
    try {
      return parseJson(text, { depthMax: DEPTH_MAX - depth });
    } catch (error) {
      throw wire.fault(getMessage(error));
    }
  }

  #checkDepth(depth: number): void {
    if (depth >= DEPTH_MAX) throw this.wire.fault(`nested deeper than ${DEPTH_MAX} levels`);
  }

  #expect(form: number, expected: number): void {
    if (form !== expected) throw this.wire.fault(`its wire type is ${form} instead of ${expected}`);
  }
}

function wireTypeOf({ type }: MessageField): number {
  return typeof type === 'string' ? WIRE_TYPES[type] : BYTES;
}

function aloneIn(type: MessageType, fields: Fields): unknown {
  const [, field] = type.fields;
  if (field === undefined) return undefined;
  return fields[field.name] ?? (field.form === 'list' ? [] : zeroOf(field.type));
}

/** The value of a field without presence that was not sent. */
function zeroOf(type: ScalarType | MessageType): unknown {
  if (typeof type === 'string') return ZEROS[type];
  if (type.form !== undefined) return type.form.value({});
  if (type.isAlone) return aloneIn(type, {});
  return Object.fromEntries(type.always.map((field) => [field.name, zeroOf(field.type)]));
}

/** True for a value that JSON leaves out by `omitempty` or `omitzero`. */
function isZero(value: unknown): boolean {
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false || value === null;
}
