import { Yielder, type Resumable } from '../../lib/work/yield.js';
import { visitWords, wordCountIn, type Word } from '../../model/words.js';
import type { Snapshot } from '../engine.js';
import { scanChunks } from '../index/scan.js';
import { decodeFresh, getFreshRows, type FreshRow } from './rows.js';
import { PostingsWriter } from './posting-bytes.js';
import type { SegmentWriter } from './segment-writer.js';

/** Rows that are read at once. */
const ROWS = 64;
/** Docs or words between two looks at the clock. */
const STEP = 32;

export interface FreshRows {
  /** The newest one of each object, in their order. */
  readonly rows: readonly FreshRow[];
  /** The number of the row after them. */
  readonly end: number;
  /** Size of all of them, in bytes. */
  readonly bytes: number;
}

/** Reads fresh rows from a number on, up to about a size. */
export async function readFresh(
  snapshot: Snapshot,
  indexId: number,
  { from, to, bytesMax }: { readonly from: number; readonly to: number; readonly bytesMax: number },
): Promise<FreshRows> {
  const newest = new Map<number, FreshRow>();
  let end = from;
  let bytes = 0;
  for await (const pairs of scanChunks(snapshot, getFreshRows(indexId, from, to), ROWS)) {
    for (const { value } of pairs) {
      const row = decodeFresh(value);
      newest.delete(row.objectId);
      newest.set(row.objectId, row);
      bytes += value.length;
    }
    end += pairs.length;
    if (bytes >= bytesMax) break;
  }
  return { rows: [...newest.values()], end, bytes };
}

/** Writes objects and their words as a segment. */
export async function writeFresh(rows: readonly FreshRow[], writer: SegmentWriter): Promise<void> {
  const yielder = new Yielder();
  for (const { objectId, document } of rows)
    writer.addDoc(objectId, document === undefined ? 0 : wordCountIn(document));
  const lists = await yielder.run(collect(rows));
  const words = [...lists.keys()].sort();
  for (const [i, word] of words.entries()) {
    const list = lists.get(word);
    if (list !== undefined) writer.addWord(word, encodeList(list));
    if (writer.isFull) await writer.commit();
    if (i % STEP === 0 && yielder.isDue) await yielder.take();
  }
}

/** For each word its docs and positions, one after the other. */
type Lists = Map<Word, number[]>;

function* collect(rows: readonly FreshRow[]): Resumable<Lists> {
  const lists: Lists = new Map();
  for (const [doc, { document }] of rows.entries()) {
    if (document === undefined) continue;
    visitWords(document, (word, position) => {
      const list = lists.get(word);
      if (list === undefined) lists.set(word, [doc, position]);
      else list.push(doc, position);
    });
    if (doc % STEP === 0) yield;
  }
  return lists;
}

function encodeList(list: readonly number[]): ReturnType<PostingsWriter['done']> {
  const writer = new PostingsWriter();
  for (let at = 0; at < list.length;) {
    const doc = list[at] ?? 0;
    let end = at;
    while (end < list.length && list[end] === doc) end += 2;
    writer.addDoc(doc, (end - at) / 2);
    for (let before = 0; at < end; at += 2) {
      const position = list[at + 1] ?? 0;
      writer.addPosition(position - before);
      before = position;
    }
  }
  return writer.done();
}
