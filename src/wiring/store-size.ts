import type { StoreSize } from '../http/metrics.js';
import { openToRead } from '../store/lmdb/engine.js';

export interface StoreSizeReader {
  read(): StoreSize;
  close(): Promise<void>;
}

/** At the beginning of the file, apart from everything else. */
const META_PAGES = 2;

/** Tells the size of the store in a directory, which must be open. Nothing is opened before it is asked. */
export function storeSizeReader(directory: string): StoreSizeReader {
  let db: ReturnType<typeof openToRead> | undefined;
  return {
    read() {
      db ??= openToRead(directory);
      const stats: object = db.getStats();
      const { pageSize, lastPageNumber } = numbersOf(stats);
      const pages = (lastPageNumber ?? 0) + 1;
      const free: unknown = 'free' in stats ? stats.free : undefined;
      const used = META_PAGES + treePages(stats) + treePages(free);
      return { pageBytes: pageSize ?? 0, pages, freePages: Math.max(0, pages - used) };
    },
    async close() {
      await db?.close();
    },
  };
}

function treePages(stats: unknown): number {
  const { treeBranchPageCount = 0, treeLeafPageCount = 0, overflowPages = 0 } = numbersOf(stats);
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

function numbersOf(stats: unknown): Readonly<Record<string, number | undefined>> {
  if (typeof stats !== 'object' || stats === null) return {};
  const numbers = Object.entries(stats).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return Object.fromEntries(numbers);
}
