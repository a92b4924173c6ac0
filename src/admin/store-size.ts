import type { StoreSize } from '../http/metrics/metrics.js';
import { openAgainToRead } from '../engines/lmdb/open-root.js';
import { countPages } from '../engines/lmdb/pages.js';

export interface StoreSizeReader {
  read(): StoreSize;
  close(): Promise<void>;
}

/** Tells the size of the store in a directory, which must be open. Nothing is opened before it is asked. */
export function storeSizeReader(directory: string): StoreSizeReader {
  let db: ReturnType<typeof openAgainToRead> | undefined;
  return {
    read: () => countPages((db ??= openAgainToRead(directory)), directory),
    async close() {
      await db?.close();
    },
  };
}
