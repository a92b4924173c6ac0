import { headOfDocument, wordCountIn } from '../../model/words.js';
import type { Transaction } from '../engine.js';
import type { IndexValues } from '../index/index-record.js';
import { countsKey, decodeCounts, encodeCounts, encodeFresh, freshKey } from './rows.js';

/** The words of an object in a text index before and after a change: documents, or their heads; empty without words. */
export interface TextMove {
  readonly before: readonly Buffer[] | undefined;
  readonly after: readonly Buffer[] | undefined;
}

/** Adds a fresh row when the words of an object have changed. */
export function moveText(tx: Transaction, indexId: number, objectId: number, move: TextMove): void {
  const before = move.before?.[0];
  const after = move.after?.[0];
  if (before === undefined ? after === undefined : after !== undefined && haveSameHead(before, after)) return;
  const { nextRow, words, bytes } = decodeCounts(tx.get(countsKey(indexId)));
  const row = encodeFresh(objectId, after);
  tx.put(freshKey(indexId, nextRow), row);
  const counts = {
    nextRow: nextRow + 1,
    words: words + wordsIn(after) - wordsIn(before),
    bytes: bytes + row.length,
  };
  tx.put(countsKey(indexId), encodeCounts(counts));
}

function wordsIn(document: Buffer | undefined): number {
  return document === undefined ? 0 : wordCountIn(document);
}

function haveSameHead(a: Buffer, b: Buffer): boolean {
  return headOfDocument(a).equals(headOfDocument(b));
}

/** Index values as a record contains them: of a document only its head. */
export function withoutWords(values: IndexValues, textIndexId: number | undefined): IndexValues {
  const document = textIndexId === undefined ? undefined : values.get(textIndexId);
  if (textIndexId === undefined || document === undefined) return values;
  return new Map(values).set(textIndexId, document.map(headOfDocument));
}
