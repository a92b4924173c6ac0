/**
 * What the thread of `ReadAhead` runs: reads what it is asked for, so that it is in memory, and answers when
 * it is.
 */
import { workerData } from 'node:worker_threads';
import { answerRequests } from '../../lib/thread.js';
import { Databases } from './databases.js';
import { openToRead } from './engine.js';
import { type ReadRequest, unpacked } from './read-ahead.js';
import { bounds } from './snapshot.js';

const databases = new Databases(openToRead(String(workerData)));
const { root } = databases;

answerRequests(read, () => root.close());

/** Values and pairs are copied out of the pages that they lie in, which brings these. */
function read(request: ReadRequest): void {
  root.resetReadTxn();
  const transaction = root.useReadTransaction();
  try {
    if ('keys' in request)
      for (const key of unpacked(request.keys)) databases.of(key).getBinaryFast(key, { transaction });
    else
      for (const _ of databases.of(request.start).getRange({
        ...bounds(request, request.reverse),
        limit: request.limit,
        transaction,
      }));
  } finally {
    transaction.done();
  }
}
