import { fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { LOCK_FILE } from './files.js';

/**
 * The memory that all processes of a store share, as far as this program looks into it. It must not be closed: that
 * would take the locks that LMDB has on the file from the whole process, and the next one to open the store would then
 * take the file for its own. So there is one for each file, until the process ends, and only where it was needed.
 */
export class LockFile {
  static readonly #all: LockFile[] = [];

  /** @throws Error when the file is gone, or another user's */
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
   * Tells all processes which commit is the newest. Only under the lock of writers, so that it stays the newest.
   * @param told what LMDB takes for the newest; where the file does not say the same, it is left alone
   * @returns whether it was told
   */
  tellCommit(told: number, newest: number): boolean {
    const bytes = this.#read(AT.commit + COMMIT_BYTES);
    if (bytes?.readUInt32LE(AT.magic) !== MAGIC) return false;
    if (bytes.readBigUInt64LE(AT.commit) !== BigInt(told) || newest <= told) return false;
    const next = Buffer.alloc(COMMIT_BYTES);
    next.writeBigUInt64LE(BigInt(newest));
    // Byte by byte, the lowest first: what readers see in between is never more than the newest.
    for (let i = 0; i < COMMIT_BYTES; i++)
      if (next[i] !== bytes[AT.commit + i]) writeSync(this.handle, next, i, 1, AT.commit + i);
    return true;
  }

  /** The thread that holds the lock of writers, by its number in the system; undefined where that cannot be told. */
  writingThread(): number | undefined {
    const bytes = this.#read(AT.owner + 4);
    if (bytes?.readUInt32LE(AT.magic) !== MAGIC) return undefined;
    // So it is in glibc. A lock that is laid out in another way does not state the same twice.
    const thread = bytes.readUInt32LE(AT.lock) & THREAD_BITS;
    return thread !== 0 && thread === bytes.readUInt32LE(AT.owner) ? thread : undefined;
  }

  #read(length: number): Buffer | undefined {
    const bytes = Buffer.alloc(length);
    return readSync(this.handle, bytes, 0, length, 0) === length ? bytes : undefined;
  }
}

const MAGIC = 0xbeefc0de;
/** Where things are in the file, in bytes. */
const AT = { magic: 0, commit: 8, lock: 64, owner: 72 } as const;
const COMMIT_BYTES = 8;
/** The others of a lock say that somebody waits for it, and that its owner died. */
const THREAD_BITS = 0x3fffffff;
