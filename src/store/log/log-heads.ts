import { asBuffer } from '../../lib/bytes.js';
import type { ExtensionObject } from '../../model/object.js';
import { logAfter, revisionInLogKey } from '../index/keys.js';
import { type ChangeType, decodeLogEntry } from './log.js';
import { checkStart } from './log-reader.js';
import { bodyIn, isSound, parseObject } from '../object-record.js';
import type { ReadView } from '../read-view.js';

/** Most entries of one read. */
const LOOK_ENTRIES = 1_000;
/** A read ends after the entry that exceeds this number of bytes. */
const LOOK_BYTES = 1024 * 1024;

/** A change, without the states of its object. */
export interface ChangeHead {
  readonly type: ChangeType;
  readonly modelId: number;
  /** Id of the object. */
  readonly id: number;
  /** The last state of a removed object, on request; undefined when it is damaged. */
  readonly last: ExtensionObject | undefined;
}

/** A bounded part of the log. */
export interface ChangeHeads {
  readonly heads: readonly ChangeHead[];
  /** Every change up to this revision was read. */
  readonly until: number;
  /** True when the log had no more at that moment. */
  readonly isEnd: boolean;
}

/**
 * The changes after a revision, in the order of the revisions. Cheaper than the changes themselves: existing objects
 * are not read.
 * @param withRemoved true to include the last states of removed objects
 * @throws ServiceError as `checkStart`
 */
export async function readChangeHeads(
  view: ReadView,
  after: number,
  withRemoved: boolean,
): Promise<ChangeHeads> {
  const head = await view.logHead();
  checkStart(head, after);
  if (head.revision === after) return { heads: [], until: after, isEnd: true };
  const heads: ChangeHead[] = [];
  let bytes = 0;
  const last = await view.snapshot.scanInPlace(logAfter(after), { limit: LOOK_ENTRIES }, (value) => {
    const { type, modelId, id, record } = decodeLogEntry(asBuffer(value));
    const isRemoved = withRemoved && type === 'DELETED' && isSound(record);
    // The last state of an object is not compressed.
    heads.push({ type, modelId, id, last: isRemoved ? parseObject(bodyIn(record)) : undefined });
    return (bytes += value.length) < LOOK_BYTES;
  });
  const isEnd = last === undefined;
  return { heads, until: isEnd ? head.revision : revisionInLogKey(last), isEnd };
}
