import { isUtf8 } from 'node:buffer';
import { badRequest, type ServiceError } from '../../errors.js';

/** Forms of a value in bytes (https://protobuf.dev/programming-guides/encoding). Groups, 3 and 4, are refused. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const FIXED32 = 5;
const GROUP_START = 3;
const GROUP_END = 4;

/** A number has up to 64 bits, seven in each byte. */
const NUMBER_BYTES_MAX = 10;
/** The bytes of a number that a `number` holds exactly. */
const EXACT_BYTES = 7;
const TAG_MAX = 0xff_ff_ff_ff;

/** Reads bytes of protobuf, one value after another. Values are inside of what was entered, or they are refused. */
export class WireReader {
  #at = 0;
  #end: number;
  /** For errors: the message and the field that are read. */
  message = '';
  field = '';

  /** @param offset of these bytes in the body, for errors */
  constructor(
    private readonly bytes: Buffer,
    private readonly offset = 0,
  ) {
    this.#end = bytes.length;
  }

  /** True when more was sent in what was entered. */
  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  /** The number of a field, times 8, and the form of its value. */
  tag(): number {
    const tag = this.varint();
    if (tag < 8 || tag > TAG_MAX) throw this.fault('a field has no valid number');
    return tag;
  }

  /**
   * Enters bytes with a length, such as a message.
   * @returns the end of those around them, for {@link leave}
   */
  enter(): number {
    const length = this.varint();
    const around = this.#end;
    if (length < 0 || length > around - this.#at) throw this.fault('a length exceeds the bytes that follow');
    this.#end = this.#at + length;
    return around;
  }

  leave(around: number): void {
    this.#end = around;
  }

  /** A signed number of up to 64 bits. */
  varint(): number {
    const last = Math.min(this.#end, this.#at + EXACT_BYTES);
    let value = 0;
    for (let at = this.#at, factor = 1; at < last; factor *= 128) {
      const byte = this.bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte > 0x7f) continue;
      this.#at = at;
      return value;
    }
    return this.#longVarint();
  }

  double(): number {
    const at = this.#skipBytes(8);
    const value = this.bytes.readDoubleLE(at);
    if (!Number.isFinite(value)) throw this.fault('the number is not finite', at);
    return value;
  }

  text(): string {
    const [start, end] = this.#span();
    const text = this.bytes.toString('utf8', start, end);
    // The decoder puts U+FFFD in the place of wrong bytes.
    if (text.includes('\ufffd') && !isUtf8(this.bytes.subarray(start, end)))
      throw this.fault('the text is not valid UTF-8', start);
    return text;
  }

  base64(): string {
    return this.bytes.toString('base64', ...this.#span());
  }

  /** Bytes with a length, which are not copied. */
  part(): Buffer {
    return this.bytes.subarray(...this.#span());
  }

  skip(form: number): void {
    if (form === VARINT) this.#skipVarint();
    else if (form === FIXED64) this.#skipBytes(8);
    else if (form === BYTES) this.#span();
    else if (form === FIXED32) this.#skipBytes(4);
    else if (form === GROUP_START || form === GROUP_END) throw this.fault('groups are not supported');
    else throw this.fault(`the wire type ${form} is unknown`);
  }

  /**
   * An error about what was sent.
   * @param at the byte of the fault. Default: the next byte
   */
  fault(reason: string, at = this.#at): ServiceError {
    const field = this.field === '' ? '' : `field ${this.field} of `;
    const place = this.message === '' ? '' : ` (${field}${this.message})`;
    return badRequest(`malformed protobuf at byte ${this.offset + at}${place}: ${reason}`);
  }

  #longVarint(): number {
    const start = this.#at;
    const end = this.#skipVarint();
    let value = 0n;
    for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt((this.bytes[at] ?? 0) & 0x7f);
    const exact = BigInt.asIntN(64, value);
    const number = Number(exact);
    if (Number.isSafeInteger(number)) return number;
    throw this.fault(`the integer ${exact} cannot be represented exactly as a number`, start);
  }

  /** @returns the end of the number */
  #skipVarint(): number {
    const last = Math.min(this.#end, this.#at + NUMBER_BYTES_MAX);
    let at = this.#at;
    while (at < last && (this.bytes[at] ?? 0) > 0x7f) at += 1;
    if (at < last) return (this.#at = at + 1);
    throw this.fault(at < this.#end ? 'a number has more than 64 bits' : 'the bytes end within a number');
  }

  /** @returns the place of the skipped bytes */
  #skipBytes(count: number): number {
    const at = this.#at;
    if (count > this.#end - at) throw this.fault('the bytes end within a number');
    this.#at = at + count;
    return at;
  }

  #span(): [start: number, end: number] {
    const around = this.enter();
    const span: [number, number] = [this.#at, this.#end];
    this.#at = this.#end;
    this.#end = around;
    return span;
  }
}
