import { randomUUID } from 'node:crypto';
import { unavailable } from '../../errors.js';
import { formatEtcdAddress } from './address.js';
import type { EtcdClient } from './client.js';
import type { EtcdContext } from './context.js';
import { Full } from './failures.js';
import { formatHead, formatPlace, type Head, headKey, parseHead, StoreKeys } from './keys.js';
import { splitValue } from './long-values.js';
import { isMissing, put, range, readBy, findText } from './requests.js';

/**
 * The head of the store. Creates an empty store when it does not exist; of concurrent processes, one creates it.
 * @throws ServiceError `ServiceUnavailable` when it has another layout
 */
export async function findStore({ client, retries, address }: EtcdContext): Promise<Head> {
  const found = await retries.persist(() => findOrMake(client, address.prefix));
  if (!('layout' in found)) return found;
  throw unavailable(
    `${formatEtcdAddress(address)} contains a store of layout ${found.layout || 'unknown'}, which this version does not support; ` +
      'use the version that created it, or another prefix',
  );
}

async function findOrMake(client: EtcdClient, prefix: string): Promise<ReturnType<typeof parseHead>> {
  const first = { store: randomUUID(), seq: 0, id: randomUUID() };
  const head = headKey(prefix);
  try {
    const answer = await client.txn({
      compare: [isMissing(head)],
      success: [put(head, formatHead(first)), ...firstRecord(new StoreKeys(prefix, first.store), first)],
      failure: [range({ start: head })],
    });
    return answer.succeeded === true ? first : parseHead(findText(readBy(answer, 0)) ?? '');
  } catch (error) {
    if (!(error instanceof Full)) throw error;
    // An existing store can be read even when etcd refuses writes.
    const text = findText(await client.range({ start: head }));
    if (text === undefined) throw error;
    return parseHead(text);
  }
}

/** The first record of the log, which is the position of the checkpoint. */
export function firstRecord(keys: StoreKeys, first: Head): object[] {
  return [
    put(keys.record(first), splitValue(Buffer.alloc(0)).value),
    put(keys.checkpoint, formatPlace(first)),
  ];
}
