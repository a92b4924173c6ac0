import { fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { LOCK_FILE } from './files.js';

/**
 * The memory that all processes of a store share, as far as this program uses it. The file must not be closed: that
 * would release all locks of the process on the file, including those of LMDB. The next process to open the store
 * would then take over the file. So one handle per file stays open until the process ends, and only where it was
 * needed.
 */
export class LockFile {
  static readonly #all: LockFile[] = [];

  /** @throws Error when the file is gone, or belongs to another user */
  static of(directory: string): LockFile {
    const file = path.join(directory, LOCK_FILE);
    const { dev, ino } = statSync(file);
    const found = LockFile.#all.find((one) => one.dev === dev && one.ino === ino);
    if (found !== undefined) return found;
    const handle = openSync(file, 'r+');
    const opened = fstatSync(handle);
    const made = new LockFile(handle, opened.dev, opened.ino);
    LockFile.#all.push(made);
    return made;
  }

  private constructor(
    private readonly handle: number,
    private readonly dev: number,
    private readonly ino: number,
  ) {}

  /**
   * Publishes the number of the newest commit to all processes. Only under the lock of writers, so that it stays the
   * newest.
   * @param published the number that LMDB uses as the newest; the file is not changed when it has another one
   * @returns true when the number was published
   */
  publishCommit(published: number, newest: number): boolean {
    const bytes = this.#read(AT.commit + COMMIT_BYTES);
    if (bytes?.readUInt32LE(AT.magic) !== MAGIC) return false;
    if (bytes.readBigUInt64LE(AT.commit) !== BigInt(published) || newest <= published) return false;
    const next = Buffer.alloc(COMMIT_BYTES);
    next.writeBigUInt64LE(BigInt(newest));
    // Byte by byte, the lowest first: readers in between never see a number above the newest.
    for (let i = 0; i < COMMIT_BYTES; i++)
      if (next[i] !== bytes[AT.commit + i]) writeSync(this.handle, next, i, 1, AT.commit + i);
    return true;
  }

  /** The system's id of the thread that holds the lock of writers; undefined where it cannot be determined. */
  writingThread(): number | undefined {
    const bytes = this.#read(AT.owner + 4);
    if (bytes?.readUInt32LE(AT.magic) !== MAGIC) return undefined;
    // This is the layout of glibc. A lock with another layout does not contain the id twice.
    const thread = bytes.readUInt32LE(AT.lock) & THREAD_BITS;
    return thread !== 0 && thread === bytes.readUInt32LE(AT.owner) ? thread : undefined;
  }

  #read(length: number): Buffer | undefined {
    const bytes = Buffer.alloc(length);
    return readSync(this.handle, bytes, 0, length, 0) === length ? bytes : undefined;
  }
}

const MAGIC = 0xbeefc0de;
/** Offsets in the file, in bytes. */
const AT = { magic: 0, commit: 8, lock: 64, owner: 72 } as const;
const COMMIT_BYTES = 8;
/** The other bits of a lock: another thread waits for it, and its owner has died. */
const THREAD_BITS = 0x3fffffff;
