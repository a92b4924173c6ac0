/** The thread of `ReadAhead`: loads the requested data into memory, and answers when it is there. */
import { workerData } from 'node:worker_threads';
import type { Transaction as ReadTransaction } from 'lmdb';
import { answerRequests } from '../../lib/process/thread.js';
import { Databases } from './databases.js';
import { openAgainToRead } from './open-root.js';
import { type ReadRequest, unpacked } from './read-ahead.js';

const databases = new Databases(openAgainToRead(String(workerData)));
const { root } = databases;

answerRequests(read, () => root.close());

/** Reads the values, which loads their pages. */
function read(request: ReadRequest): void {
  root.resetReadTxn();
  const transaction = root.useReadTransaction();
  try {
    if ('keys' in request)
      for (const key of unpacked(request.keys)) databases.of(key).get(key, { transaction });
    else readRange(request, transaction);
  } finally {
    transaction.done();
  }
}

type RangeRequest = Exclude<ReadRequest, { readonly keys: unknown }>;

function readRange({ limit, reverse, ...range }: RangeRequest, transaction: ReadTransaction): void {
  let left = limit;
  databases.of(range.start).scan(range, { reverse, transaction }, (value) => {
    touch(value);
    return --left > 0;
  });
}

/** A large value is in separate pages, which finding it does not load. */
function touch(value: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < value.length; at += PAGE_BYTES) sum += value[at] ?? 0;
  return sum;
}

/** Least size of a memory page, in bytes. */
const PAGE_BYTES = 4096;
