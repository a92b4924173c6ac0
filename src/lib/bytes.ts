/** Reads and writes the small binary records of the store: big-endian integers, variable-length counts, byte runs. */

/** Integers of 48 bits: exact in a double, ordered as bytes, 2.8e14 of them. */
export const U48_BYTES = 6;

export function u48(value: number): Buffer {
  const out = Buffer.allocUnsafe(U48_BYTES);
  out.writeUIntBE(value, 0, U48_BYTES);
  return out;
}

export function readU48(bytes: Uint8Array, offset = 0): number {
  const at = (i: number): number => bytes[offset + i] ?? 0;
  const high = at(0) * 0x100 + at(1);
  const low = at(2) * 0x1000000 + at(3) * 0x10000 + at(4) * 0x100 + at(5);
  return high * 0x100000000 + low;
}

/** The bytes as a Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The smallest key greater than every key with this prefix; undefined when no such key exists (a prefix of 0xff
 * only).
 */
export function afterPrefix(prefix: Uint8Array): Buffer | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  const out = Buffer.from(prefix.subarray(0, length));
  out[length - 1] = (out[length - 1] ?? 0) + 1;
  return out;
}

/** The number of equal bytes at the start of both values. */
export function commonLength(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return length;
}

/** Appends to a growing buffer. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(capacity = 128) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#length, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, at);
      this.#buffer = grown;
    }
    return at;
  }

  u8(value: number): this {
    const at = this.#room(1);
    this.#buffer[at] = value;
    return this;
  }

  u32(value: number): this {
    const at = this.#room(4);
    this.#buffer.writeUInt32BE(value, at);
    return this;
  }

  u48(value: number): this {
    const at = this.#room(U48_BYTES);
    this.#buffer.writeUIntBE(value, at, U48_BYTES);
    return this;
  }

  /** LEB128: seven bits a byte, lowest first. Up to 2^53. */
  varint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.u8(rest);
  }

  bytes(bytes: Uint8Array): this {
    const at = this.#room(bytes.length);
    this.#buffer.set(bytes, at);
    return this;
  }

  /** The run's length, then the run. */
  run(bytes: Uint8Array): this {
    return this.varint(bytes.length).bytes(bytes);
  }

  /** The written bytes. The writer must not be used afterwards. */
  done(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

/** Reads what {@link ByteWriter} wrote, in the same order. Runs share memory with the input. */
export class ByteReader {
  offset = 0;

  constructor(private readonly buffer: Buffer) {}

  get atEnd(): boolean {
    return this.offset >= this.buffer.length;
  }

  u8(): number {
    const value = this.buffer[this.offset];
    if (value === undefined) throw new RangeError('record is shorter than its stated length');
    this.offset += 1;
    return value;
  }

  u32(): number {
    const value = this.buffer.readUInt32BE(this.offset);
    this.offset += 4;
    return value;
  }

  u48(): number {
    const value = readU48(this.buffer, this.offset);
    this.offset += U48_BYTES;
    return value;
  }

  varint(): number {
    let value = this.u8();
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  run(): Buffer {
    const length = this.varint();
    return this.take(length);
  }

  take(length: number): Buffer {
    const out = this.buffer.subarray(this.offset, this.offset + length);
    if (out.length !== length) throw new RangeError('record is shorter than its stated length');
    this.offset += length;
    return out;
  }

  rest(): Buffer {
    return this.take(this.buffer.length - this.offset);
  }
}
