import { textOfWord, WordsDigest, type Word } from '../../model/words.js';
import type { Snapshot } from '../engine.js';
import { readFresh } from './flush.js';
import { Newest } from './newest.js';
import { VarintReader } from './posting-bytes.js';
import { countsKey, decodeCounts, decodeSegments, segmentsKey } from './rows.js';
import { SegmentReader } from './segment-reader.js';

/** Marks objects with fresh rows. */
const FRESH = 255;
const ROWS_AT_ONCE_BYTES = 4 * 1024 * 1024;

/**
 * Compares a text index with the records of its objects.
 * @param heads by object id: the heads of the documents in the records; those with an inconsistency remain in it
 * @returns inconsistencies of the index as a whole
 */
export async function checkText(
  snapshot: Snapshot,
  indexId: number,
  heads: Map<number, Buffer>,
): Promise<string[]> {
  const counts = decodeCounts(await snapshot.get(countsKey(indexId)));
  const { flushed, segments } = decodeSegments(await snapshot.get(segmentsKey(indexId)));
  const faults: string[] = [];
  let words = 0;
  for (const head of heads.values()) words += head.readUInt32BE(8);
  if (words !== counts.words) faults.push(`counts ${counts.words} words but its objects have ${words}`);
  const newest = new Newest();
  const others = new Set<number>();
  const settle = (id: number, digest: WordsDigest): void => {
    const head = heads.get(id);
    if (head === undefined) others.add(id);
    else if (digest.equals(head)) heads.delete(id);
  };
  const fresh = new Map<number, Buffer | undefined>();
  for (let from = flushed; from < counts.nextRow;) {
    const { rows, end } = await readFresh(snapshot, indexId, {
      from,
      to: counts.nextRow,
      bytesMax: ROWS_AT_ONCE_BYTES,
    });
    if (end === from) break;
    for (const { objectId, document } of rows) fresh.set(objectId, document);
    from = end;
  }
  for (const [id, document] of fresh) {
    newest.set(id, FRESH);
    const head = heads.get(id);
    if (document === undefined || head === undefined) {
      if ((document === undefined) !== (head === undefined)) others.add(id);
    } else if (document.subarray(0, head.length).equals(head)) heads.delete(id);
  }
  for (const [i, segment] of [...segments.entries()].reverse()) {
    const reader = new SegmentReader(snapshot, indexId, segment);
    const { ids, lengths } = await reader.docs();
    const digests = await digestsOf(reader, ids.length);
    ids.forEach((id, doc) => {
      if (newest.get(id) !== 0) return;
      newest.set(id, i + 1);
      const digest = digests.get(doc);
      if (digest !== undefined) settle(id, digest);
      else if ((lengths[doc] ?? 0) > 0 || heads.has(id)) others.add(id);
    });
  }
  if (others.size > 0) faults.push(`has words of ${others.size} objects that are not there, or have none`);
  return faults;
}

async function digestsOf(reader: SegmentReader, docs: number): Promise<ReadonlyMap<number, WordsDigest>> {
  const digests = new Map<number, WordsDigest>();
  for await (const entry of reader.entries()) {
    const { count, docs: bytes, positions } = await reader.postings(entry);
    visit({ count, bytes, positions, word: entry.word }, (doc, position) => {
      if (doc >= docs) throw new RangeError(`${textOfWord(entry.word)} has a doc beyond its segment`);
      let digest = digests.get(doc);
      if (digest === undefined) digests.set(doc, (digest = new WordsDigest()));
      digest.add(entry.word, position);
    });
  }
  return digests;
}

interface WordPostings {
  readonly word: Word;
  readonly count: number;
  readonly bytes: Buffer;
  readonly positions: Buffer;
}

function visit(
  { count, bytes, positions }: WordPostings,
  see: (doc: number, position: number) => void,
): void {
  const docs = new VarintReader(bytes);
  const places = new VarintReader(positions);
  let doc = -1;
  for (let i = 0; i < count; i++) {
    const code = docs.next();
    doc += code >>> 1;
    const times = (code & 1) === 1 ? docs.next() : 1;
    let position = 0;
    for (let k = 0; k < times; k++) see(doc, (position += places.next()));
  }
}
