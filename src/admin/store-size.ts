import type { StoreSize } from '../http/platform/platform.js';
import { openAgainToRead } from '../engines/lmdb/open-root.js';
import { countPages } from '../engines/lmdb/pages.js';

export interface StoreSizeReader {
  read(): StoreSize;
  close(): Promise<void>;
}

/** Reads the size of the store in a directory, which must be open. It opens nothing before the first call. */
export function storeSizeReader(directory: string): StoreSizeReader {
  let db: ReturnType<typeof openAgainToRead> | undefined;
  return {
    read: () => countPages((db ??= openAgainToRead(directory)), directory),
    async close() {
      await db?.close();
    },
  };
}
