import { Yielder, type Resumable } from '../../lib/work/yield.js';
import type { Word } from '../../model/words.js';
import { Newest } from './newest.js';
import { PostingsWriter, VarintReader } from './posting-bytes.js';
import type { SegmentDocs, SegmentReader } from './segment-reader.js';
import type { SegmentWriter } from './segment-writer.js';
import type { Postings, TermEntry } from './term-block.js';

/** Docs between two looks at the clock. */
const STEP = 1_024;
const NONE = -1;

/** Segments side by side, which become one. */
export interface Merge {
  /** All segments of the index, oldest first. */
  readonly all: readonly SegmentReader[];
  /** Position of the first merged one, and of the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** A merged segment, with the new number of each doc; {@link NONE} for one whose object has other words now. */
interface Part {
  readonly reader: SegmentReader;
  readonly numbers: Int32Array;
  readonly entries: AsyncIterator<TermEntry>;
  next: TermEntry | undefined;
}

/** Writes several segments as one, without the docs whose objects are in a newer one. */
export async function mergeSegments(merge: Merge, writer: SegmentWriter): Promise<void> {
  const yielder = new Yielder();
  const parts = await beginParts(merge, writer);
  for (;;) {
    const word = smallest(parts);
    if (word === undefined) return;
    const postings = new PostingsWriter();
    for (const part of parts) {
      if (part.next?.word !== word) continue;
      await yielder.run(append(await part.reader.postings(part.next), part.numbers, postings));
      part.next = await nextOf(part.entries);
    }
    if (postings.count > 0) writer.addWord(word, postings.done());
    if (writer.isFull) await writer.commit();
  }
}

async function beginParts({ all, from, to }: Merge, writer: SegmentWriter): Promise<Part[]> {
  const docs: SegmentDocs[] = [];
  const newest = new Newest();
  for (const [i, reader] of all.entries()) {
    // Older segments have no effect.
    if (i < from) continue;
    const read = await reader.docs();
    read.ids.forEach((id) => newest.set(id, i + 1));
    if (i < to) docs.push(read);
  }
  let count = 0;
  const parts: Part[] = [];
  for (const [i, { ids, lengths }] of docs.entries()) {
    const reader = all[from + i];
    if (reader === undefined) throw new RangeError('a segment without a reader');
    const numbers = new Int32Array(ids.length).fill(NONE);
    ids.forEach((id, doc) => {
      const length = lengths[doc] ?? 0;
      // Without words it hides an older segment's words of the object.
      if (newest.get(id) !== from + i + 1 || (length === 0 && from === 0)) return;
      numbers[doc] = count++;
      writer.addDoc(id, length);
    });
    const entries = reader.entries();
    parts.push({ reader, numbers, entries, next: await nextOf(entries) });
  }
  return parts;
}

async function nextOf(entries: AsyncIterator<TermEntry>): Promise<TermEntry | undefined> {
  const step = await entries.next();
  return step.done === true ? undefined : step.value;
}

function smallest(parts: readonly Part[]): Word | undefined {
  let word: Word | undefined;
  for (const { next } of parts)
    if (next !== undefined && (word === undefined || next.word < word)) word = next.word;
  return word;
}

function* append(postings: Postings, numbers: Int32Array, target: PostingsWriter): Resumable<void> {
  const docs = new VarintReader(postings.docs);
  const positions = new VarintReader(postings.positions);
  let doc = -1;
  for (let i = 0; i < postings.count; i++) {
    const code = docs.next();
    doc += code >>> 1;
    const times = (code & 1) === 1 ? docs.next() : 1;
    const number = numbers[doc] ?? NONE;
    if (number !== NONE) target.addDoc(number, times);
    for (let k = 0; k < times; k++) {
      const difference = positions.next();
      if (number !== NONE) target.addPosition(difference);
    }
    if (i % STEP === 0) yield;
  }
}
