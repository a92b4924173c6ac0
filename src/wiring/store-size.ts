import type { StoreSize } from '../http/metrics.js';
import { openToRead } from '../store/lmdb/engine.js';
import { countPages } from '../store/lmdb/pages.js';

export interface StoreSizeReader {
  read(): StoreSize;
  close(): Promise<void>;
}

/** Tells the size of the store in a directory, which must be open. Nothing is opened before it is asked. */
export function storeSizeReader(directory: string): StoreSizeReader {
  let db: ReturnType<typeof openToRead> | undefined;
  return {
    read: () => countPages((db ??= openToRead(directory)), directory),
    async close() {
      await db?.close();
    },
  };
}
