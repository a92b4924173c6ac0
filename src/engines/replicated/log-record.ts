import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';
import { ByteReader, ByteWriter } from '../../lib/bytes.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import type { NetWrites } from './shared-log.js';

export interface KeyWrite {
  readonly key: Buffer;
  /** Undefined for a key that is removed. */
  readonly value: Buffer | undefined;
}

/**
 * Version of a record. A record is its version, a byte of flags, and its writes one after another: length of the key,
 * key, one more than the length of the value (0 removes the key), value.
 */
const VERSION = 1;
const DEFLATED = 1;

/** Smaller records are not compressed. */
const DEFLATE_BYTES_MIN = 4 * 1024;
/** Larger records are compressed in another thread. For others, the way to it takes longer. */
const DEFLATE_BYTES_HERE = 64 * 1024;
/** The fastest level: the log is short-lived, and writers wait for it. */
const FASTEST = { level: 1 };

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export async function encodeRecord(writes: NetWrites): Promise<Buffer> {
  const writer = new ByteWriter(1024);
  for (const [key, value] of writes) {
    writer.run(Buffer.from(key, 'latin1'));
    if (value === undefined) writer.varint(0);
    else writer.varint(value.length + 1).bytes(value);
  }
  const body = writer.done();
  const isDeflated = body.length >= DEFLATE_BYTES_MIN;
  const stored = isDeflated ? await deflated(body) : body;
  return Buffer.concat([Buffer.from([VERSION, isDeflated ? DEFLATED : 0]), stored]);
}

function deflated(body: Buffer): MaybePromise<Buffer> {
  return body.length > DEFLATE_BYTES_HERE ? deflate(body, FASTEST) : deflateRawSync(body, FASTEST);
}

/** @throws RangeError when it is not a record of a known version */
export async function decodeRecord(record: Buffer): Promise<KeyWrite[]> {
  const [version, flags = 0] = record;
  if (version !== VERSION || flags > DEFLATED) {
    throw new RangeError(
      `the log has a record of version ${String(version)}, this version supports ${VERSION}`,
    );
  }
  const stored = record.subarray(2);
  const reader = new ByteReader(flags === DEFLATED ? await inflate(stored) : stored);
  const writes: KeyWrite[] = [];
  while (!reader.atEnd) {
    const key = reader.run();
    const length = reader.varint();
    writes.push({ key, value: length === 0 ? undefined : reader.take(length - 1) });
  }
  return writes;
}
