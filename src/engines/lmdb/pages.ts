import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { DATA_FILE, newestMeta } from './files.js';
import type { Root } from './ordered-keys.js';

/** The pages in the file of a store. */
export interface Pages {
  readonly pageBytes: number;
  readonly pages: number;
  /** The number of empty pages, which are reused. */
  readonly freePages: number;
}

/**
 * Counts the pages of the open store in a directory. LMDB reports the pages of a database, but neither those of
 * values that share a key nor the free ones. So its list of free pages is read from the file.
 */
export function countPages(root: Root, directory: string): Pages {
  // While a reader exists, no page of its moment or of a later one is reused.
  const transaction = root.useReadTransaction();
  const file = openSync(path.join(directory, DATA_FILE), 'r');
  try {
    const { pageSize, lastPage, freeRoot } = newestMeta(file);
    const freePages = freeRoot === undefined ? 0 : new FreeList(file, pageSize).pagesUnder(freeRoot);
    return { pageBytes: pageSize, pages: lastPage + 1, freePages };
  } finally {
    closeSync(file);
    transaction.done();
  }
}

/** Offsets in a page, in bytes: its flags, twice the number of its nodes followed by their offsets, and the nodes. */
const PAGE = { flagsAt: 18, lowerAt: 20, nodesAt: 24, isBranch: 1 } as const;
/**
 * Offsets in a node: two halves of the size of its data, or three parts of a page number; then its key, then its
 * data.
 */
const NODE = { lowAt: 0, highAt: 2, flagsAt: 4, keyBytesAt: 6, keyAt: 8, isElsewhere: 1 } as const;

/** The tree of free pages. Its leaves contain lists of page numbers, each after its length. */
class FreeList {
  constructor(
    private readonly file: number,
    private readonly pageSize: number,
  ) {}

  pagesUnder(pageNumber: number): number {
    const page = this.#read(pageNumber);
    const isBranch = (page.readUInt16LE(PAGE.flagsAt) & PAGE.isBranch) !== 0;
    const nodes = page.readUInt16LE(PAGE.lowerAt) / 2;
    let sum = 0;
    for (let i = 0; i < nodes; i++) {
      const node = page.subarray(PAGE.nodesAt + page.readUInt16LE(PAGE.nodesAt + 2 * i));
      sum += isBranch ? this.pagesUnder(getChild(node)) : this.#getLength(node);
    }
    return sum;
  }

  #getLength(node: Buffer): number {
    const dataAt = NODE.keyAt + node.readUInt16LE(NODE.keyBytesAt);
    const first = Number(node.readBigUInt64LE(dataAt));
    if ((node.readUInt16LE(NODE.flagsAt) & NODE.isElsewhere) === 0) return first;
    return Number(this.#read(first).readBigUInt64LE(PAGE.nodesAt));
  }

  #read(pageNumber: number): Buffer {
    const page = Buffer.allocUnsafe(this.pageSize);
    readSync(this.file, page, 0, this.pageSize, pageNumber * this.pageSize);
    return page;
  }
}

function getChild(node: Buffer): number {
  const low = node.readUInt16LE(NODE.lowAt) + node.readUInt16LE(NODE.highAt) * 0x10000;
  return low + node.readUInt16LE(NODE.flagsAt) * 0x100000000;
}
