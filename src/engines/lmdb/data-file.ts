import { closeSync, openSync, statfsSync, statSync, type Stats } from 'node:fs';
import { getMessage } from '../../errors.js';
import { newestMeta } from './files.js';

/** The reserve is never more than this part of the disk, so that small disks can be used as well. */
const RESERVE_SHARE = 1 / 20;

/** What the file of a store may grow by, or why nothing may be written. */
export type Room = { readonly bytes: number } | { readonly problem: string };

/**
 * Looks after the file of a store from outside: whether it is still the one that was opened, and whether the disk has
 * room. LMDB damages its own memory when a write fails, so a write that could fail must not reach it.
 */
export class DataFile {
  readonly #file: string;
  readonly #reserveBytes: number;
  readonly #opened: Pick<Stats, 'dev' | 'ino'>;
  readonly #handle: number;

  /**
   * @param file must exist
   * @param reserveBytes what is left free on the disk, at most a twentieth of it
   */
  constructor(file: string, reserveBytes: number) {
    this.#file = file;
    this.#reserveBytes = reserveBytes;
    this.#opened = statSync(file);
    this.#handle = openSync(file, 'r');
  }

  /** Number of the newest commit. Only while nobody else can commit. */
  newestCommit(): number {
    return newestMeta(this.#handle).commit;
  }

  close(): void {
    closeSync(this.#handle);
  }

  room(): Room {
    try {
      const { dev, ino } = statSync(this.#file);
      if (dev !== this.#opened.dev || ino !== this.#opened.ino)
        return { problem: `${this.#file} was replaced while it was open; restart the service` };
      return this.#roomOnDisk();
    } catch (error) {
      return {
        problem: `${this.#file} is gone: ${getMessage(error)}; put it back and restart the service`,
      };
    }
  }

  #roomOnDisk(): Room {
    const { bavail, blocks, bsize } = statfsSync(this.#file);
    const free = bavail * bsize;
    const reserve = Math.min(this.#reserveBytes, blocks * bsize * RESERVE_SHARE);
    if (free > reserve) return { bytes: free - reserve };
    return {
      problem:
        `the disk of ${this.#file} is full: ${mebibytes(free)} are free, ${mebibytes(reserve)} are kept in ` +
        'reserve; free some space, or lower --disk-reserve',
    };
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
