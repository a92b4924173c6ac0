import { badRequest } from '../../errors.js';

/** The text and message members of a message, by number; the last value of repeated ones. */
export type ProtobufMessage = ReadonlyMap<number, Uint8Array>;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Parses one level of a message (https://protobuf.dev/programming-guides/encoding). Numbers are skipped.
 * @throws ServiceError `BadRequest` for malformed bytes
 */
export function readProtobuf(bytes: Uint8Array): ProtobufMessage {
  const members = new Map<number, Uint8Array>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; at < bytes.length && shift < 2 ** 42; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
    throw malformed();
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === VARINT) varint();
    else if (type === FIXED64) at += 8;
    else if (type === FIXED32) at += 4;
    else if (type === BYTES) {
      const length = varint();
      members.set(Math.floor(tag / 8), bytes.subarray(at, at + length));
      at += length;
    } else throw malformed();
  }
  if (at > bytes.length) throw malformed();
  return members;
}

/** A text member; empty when it is absent. */
export function textAt(message: ProtobufMessage, member: number): string {
  return Buffer.from(message.get(member) ?? []).toString();
}

/** A message member; without members when it is absent. */
export function messageAt(message: ProtobufMessage, member: number): ProtobufMessage {
  return readProtobuf(message.get(member) ?? new Uint8Array());
}

function malformed() {
  return badRequest('the body is not protobuf');
}
