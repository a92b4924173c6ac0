import { yieldBetween } from '../../lib/work/yield.js';
import type { Work } from '../../lib/work/work.js';
import type { Word } from '../../model/words.js';
import type { Snapshot } from '../engine.js';
import { scanChunks } from '../index/scan.js';
import { getDocs, getListParts, getTerms, visitDocs, type TextSegment } from './rows.js';
import { entriesOfBlock, type Postings, type TermEntry } from './term-block.js';

export interface SegmentDocs {
  /** Ids of the objects, by the number of the doc. */
  readonly ids: Float64Array;
  /** Numbers of words, by the number of the doc. */
  readonly lengths: Uint32Array;
}

/** Rows of words that are read at once; those of one prefix are mostly few. */
const ROWS = 16;
const ROWS_OF_PREFIX = 2;

/** Reads the rows of one segment. */
export class SegmentReader {
  constructor(
    private readonly snapshot: Snapshot,
    private readonly indexId: number,
    private readonly segment: TextSegment,
    private readonly work?: Work,
  ) {}

  async docs(): Promise<SegmentDocs> {
    const ids = new Float64Array(this.segment.docs);
    const lengths = new Uint32Array(this.segment.docs);
    let doc = 0;
    const rows = getDocs(this.indexId, this.segment.id);
    for await (const chunk of yieldBetween(scanChunks(this.snapshot, rows), this.work)) {
      for (const { value } of chunk) {
        visitDocs(value, (id, length) => {
          ids[doc] = id;
          lengths[doc++] = length;
        });
      }
    }
    return { ids, lengths };
  }

  /** The entry of a word; undefined when no doc has it. */
  async find(word: Word): Promise<TermEntry | undefined> {
    const row = await this.#rowBefore(word);
    if (row === undefined) return undefined;
    for (const entry of entriesOfBlock(row.value, word)) return entry.word === word ? entry : undefined;
    return undefined;
  }

  /** The entries of all words with a prefix, in order; all words by default. */
  async *entries(prefix: Word = ''): AsyncGenerator<TermEntry> {
    const all = getTerms(this.indexId, this.segment.id);
    const first = prefix === '' ? undefined : await this.#rowBefore(prefix);
    for (const entry of first === undefined ? [] : entriesOfBlock(first.value, prefix)) {
      if (!entry.word.startsWith(prefix)) return;
      yield entry;
    }
    const others = first === undefined ? all : { ...all, after: first.key };
    const size = prefix === '' ? ROWS : ROWS_OF_PREFIX;
    for await (const chunk of yieldBetween(scanChunks(this.snapshot, others, size), this.work)) {
      for (const { value } of chunk) {
        for (const entry of entriesOfBlock(value)) {
          if (!entry.word.startsWith(prefix)) return;
          yield entry;
        }
      }
    }
  }

  /** The docs and positions of an entry. @param parts those that are read: positions are only for phrases */
  async postings({ count, postings }: TermEntry, parts: 'docs' | 'all' = 'all'): Promise<Postings> {
    if ('docs' in postings) return { count, ...postings };
    const docs = await this.#list(postings.list);
    return {
      count,
      docs,
      positions: parts === 'docs' ? Buffer.alloc(0) : await this.#list(postings.list + 1),
    };
  }

  async #list(list: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const chunk of scanChunks(
      this.snapshot,
      getListParts(this.indexId, this.segment.id, list),
      16,
    ))
      for (const { value } of chunk) parts.push(value);
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  /** The row in which a word is, when the segment has it. */
  async #rowBefore(word: Word): Promise<{ readonly key: Buffer; readonly value: Buffer } | undefined> {
    const upTo = getTerms(this.indexId, this.segment.id, word);
    const [row] = await this.snapshot.scan(upTo, { limit: 1, reverse: true });
    return row;
  }
}
