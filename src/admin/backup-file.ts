import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { isRecord } from '../lib/json/json.js';
import { looksLikeLmdb } from '../engines/lmdb/files.js';

/**
 * A backup is one file: the data file of a store, its facts as JSON, the length of that JSON (4 bytes, big endian), {@link MAGIC},
 * and the SHA-256 of all bytes before it. Thus a store becomes a backup without another copy, and a receiver can check at its end
 * that it is complete.
 */
const MAGIC = Buffer.from('xsvcbkup', 'latin1');
const FORMAT = 1;
const LENGTH_BYTES = 4;
const DIGEST_BYTES = 32;
const END_BYTES = LENGTH_BYTES + MAGIC.length + DIGEST_BYTES;
const JSON_BYTES_MAX = 4096;
const PART_BYTES = 1024 * 1024;

/** The contents of a store's copy. */
export interface CopyFacts {
  readonly objects: number;
  readonly models: number;
  /** The revision of its last change. */
  readonly revision: number;
  /** The size of the data file. */
  readonly bytes: number;
}

/** A file is not a backup, or differs from the created one; the message completes "because". */
export class BackupFault extends Error {}

/** Turns a data file into a backup, on disk when the promise resolves. */
export async function sealBackup(file: string, facts: CopyFacts): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const hash = createHash('sha256');
    for await (const part of iterateParts(handle)) hash.update(part);
    const json = Buffer.from(JSON.stringify({ format: FORMAT, ...facts }));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(json.length);
    const end = Buffer.concat([json, length, MAGIC]);
    await handle.write(Buffer.concat([end, hash.update(end).digest()]), 0, undefined, facts.bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a backup that arrives in parts to a new file, which is on disk when the promise resolves.
 * @throws BackupFault when it differs from the created one; the file cannot be used then
 */
export async function receiveBackup(parts: AsyncIterable<Uint8Array>, file: string): Promise<CopyFacts> {
  const handle = await open(file, 'wx+', 0o600);
  try {
    const digest = new RunningDigest();
    for await (const part of parts) {
      digest.push(part);
      await handle.appendFile(part);
    }
    const facts = await readEnd(handle, digest.end());
    await handle.sync();
    return facts;
  } finally {
    await handle.close();
  }
}

/** The bytes of a file in parts; each is valid until the next one is requested. */
export async function* iterateParts(handle: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(PART_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, PART_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The SHA-256 of bytes that arrive in parts, without the last ones, which should be the digest. */
class RunningDigest {
  readonly #hash: Hash = createHash('sha256');
  #end = Buffer.alloc(0);

  push(part: Uint8Array): void {
    const bytes = Buffer.concat([this.#end, part]);
    const cut = Math.max(0, bytes.length - DIGEST_BYTES);
    this.#hash.update(bytes.subarray(0, cut));
    this.#end = bytes.subarray(cut);
  }

  /** Called once, after the last part. */
  end(): { readonly found: Buffer; readonly carried: Buffer } {
    return { found: this.#hash.digest(), carried: this.#end };
  }
}

async function readEnd(
  handle: FileHandle,
  { found, carried }: ReturnType<RunningDigest['end']>,
): Promise<CopyFacts> {
  const { size } = await handle.stat();
  if (size === 0) throw new BackupFault('it is empty');
  const end = await read(handle, Math.max(0, size - END_BYTES), END_BYTES);
  const isOurs = end.subarray(LENGTH_BYTES, LENGTH_BYTES + MAGIC.length).equals(MAGIC);
  if (!isOurs) throw new BackupFault(await whatElse(handle));
  if (!found.equals(carried)) {
    throw new BackupFault(
      `it was changed after it was written: the recorded SHA-256 is ${carried.toString('hex')}, the actual one is ` +
        `${found.toString('hex')}; use another copy`,
    );
  }
  const length = Math.min(end.readUInt32BE(0), JSON_BYTES_MAX, size - END_BYTES);
  const facts = parseFacts(await read(handle, size - END_BYTES - length, length));
  if (facts === undefined || facts.bytes !== size - END_BYTES - length)
    throw new BackupFault(`its format is not ${FORMAT}; use the version of xsvc that wrote it`);
  return facts;
}

async function whatElse(handle: FileHandle): Promise<string> {
  if (!looksLikeLmdb(handle.fd)) return 'the file is not a backup';
  return (
    'it does not end like a backup: it is truncated, has extra bytes, or is the data file of a store ' +
    '(use xsvc backup to write a backup of it)'
  );
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await handle.read(buffer, 0, length, position);
  return buffer;
}

function parseFacts(json: Buffer): CopyFacts | undefined {
  try {
    const value: unknown = JSON.parse(json.toString());
    if (!isRecord(value) || value.format !== FORMAT) return undefined;
    const { objects, models, revision, bytes } = value;
    if (typeof objects !== 'number' || typeof models !== 'number') return undefined;
    if (typeof revision !== 'number' || typeof bytes !== 'number') return undefined;
    return { objects, models, revision, bytes };
  } catch {
    return undefined;
  }
}
