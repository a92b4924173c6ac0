import { closeSync, openSync, statfsSync, statSync, type Stats } from 'node:fs';
import { getMessage } from '../../errors.js';
import { newestMeta } from './files.js';

/** The reserve is at most this share of the disk, so that small disks can be used as well. */
const RESERVE_SHARE = 1 / 20;

/** The number of bytes by which the file of a store may grow, or the reason why nothing may be written. */
export type Room = { readonly bytes: number } | { readonly problem: string };

/**
 * Monitors the file of a store from outside: checks that it is the file that was opened, and that the disk has room.
 * LMDB damages its memory when a write fails, so a write that could fail must not reach it.
 */
export class DataFile {
  readonly #file: string;
  readonly #reserveBytes: number;
  readonly #opened: Pick<Stats, 'dev' | 'ino'>;
  readonly #handle: number;

  /**
   * @param file must exist
   * @param reserveBytes remains free on the disk; at most a twentieth of it
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
