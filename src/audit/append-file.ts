import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { LineTarget } from './line-writer.js';

/** Only its owner may read a log of who did what. */
const MODE = 0o600;
/** Several processes append to a file. A pipe that nobody reads must not block the process. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
const NEWLINE = 0x0a;

/** A file that lines are appended to. It is kept when another file takes its name, until {@link reopen}. */
export class AppendFile implements LineTarget {
  #descriptor: number;

  /** @throws Error when it cannot be opened for writing */
  constructor(readonly name: string) {
    this.#descriptor = openForLines(name);
  }

  write(bytes: Uint8Array): number {
    return writeSync(this.#descriptor, bytes);
  }

  endsWithinLine(): boolean {
    const { size } = fstatSync(this.#descriptor);
    return size > 0 && lastByteOf(this.name, size) !== NEWLINE;
  }

  /** Opens the file of the name, which may be another one now. @throws Error; the open file is then kept */
  reopen(): void {
    const old = this.#descriptor;
    this.#descriptor = openForLines(this.name);
    closeSync(old);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function openForLines(name: string): number {
  const descriptor = openSync(name, FLAGS, MODE);
  try {
    // A device, and a pipe, belong to others too.
    if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, MODE);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** A newline when it cannot be read. */
function lastByteOf(name: string, size: number): number {
  const byte = Buffer.from([NEWLINE]);
  try {
    const descriptor = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    readSync(descriptor, byte, 0, 1, size - 1);
    closeSync(descriptor);
  } catch {
    // A file that is not readable gets lines all the same.
  }
  return byte[0] ?? NEWLINE;
}
