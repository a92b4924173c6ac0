import type { Yielder } from '../../lib/work/yield.js';
import type { Word } from '../../model/words.js';
import type { SegmentReader } from '../../store/text/segment-reader.js';
import type { TermEntry } from '../../store/text/term-block.js';
import type { ReadStats } from '../scope.js';
import { decodeDocs, joinLists, NO_DOCS, type DocList } from './doc-list.js';
import type { FreshWords } from './fresh-words.js';
import { decodePositions, type Positions } from './positions.js';
import type { SegmentPart } from './segment-docs.js';

/** A word of a search, or the beginning of words. */
export interface SearchTerm {
  readonly word: Word;
  readonly isPrefix: boolean;
}

/** The docs of a term, before they are read. */
export interface FoundTerm {
  /** Number of its docs; of a prefix, and of a part with dead docs, an upper bound. */
  readonly count: number;
  readonly isExact: boolean;
  /** Those that are not dead. */
  docs(): Promise<DocList>;
}

/** A part of a text index at a moment: a segment, or the fresh rows. */
export interface TextPart {
  /** Ids of the objects, by doc. */
  readonly ids: Float64Array;
  /** Numbers of words, by doc. */
  readonly lengths: Uint32Array;
  find(term: SearchTerm): Promise<FoundTerm>;
  /** @param docs ascending */
  positions(word: Word, docs: Uint32Array): Promise<Positions>;
}

export interface SearchWork {
  readonly stats: ReadStats;
  readonly yielder: Yielder;
}

const NOT_FOUND: FoundTerm = { count: 0, isExact: true, docs: () => Promise.resolve(NO_DOCS) };

export class SegmentSearch implements TextPart {
  readonly ids: Float64Array;
  readonly lengths: Uint32Array;
  readonly #dead: Uint32Array | undefined;
  readonly #entries = new Map<Word, TermEntry | undefined>();

  constructor(
    { docs, dead }: SegmentPart,
    private readonly reader: SegmentReader,
    private readonly work: SearchWork,
  ) {
    this.ids = docs.ids;
    this.lengths = docs.lengths;
    this.#dead = dead;
  }

  async find({ word, isPrefix }: SearchTerm): Promise<FoundTerm> {
    if (isPrefix) return this.#findAll(word);
    const entry = await this.#entry(word);
    if (entry === undefined) return NOT_FOUND;
    const { count } = entry;
    return { count, isExact: this.#dead === undefined, docs: () => this.#docs(entry) };
  }

  async #findAll(prefix: Word): Promise<FoundTerm> {
    const entries: TermEntry[] = [];
    let count = 0;
    for await (const entry of this.reader.entries(prefix)) {
      entries.push(entry);
      count += entry.count;
    }
    const docs = async (): Promise<DocList> => {
      const lists: DocList[] = [];
      for (const entry of entries) lists.push(await this.#docs(entry));
      return this.work.yielder.run(joinLists(lists, this.ids.length));
    };
    return { count, isExact: entries.length < 2 && this.#dead === undefined, docs };
  }

  async #docs(entry: TermEntry): Promise<DocList> {
    this.work.stats.addEntries(entry.count);
    const { docs, count } = await this.reader.postings(entry, 'docs');
    return this.work.yielder.run(decodeDocs(docs, count, this.#dead));
  }

  async #entry(word: Word): Promise<TermEntry | undefined> {
    if (!this.#entries.has(word)) this.#entries.set(word, await this.reader.find(word));
    return this.#entries.get(word);
  }

  async positions(word: Word, docs: Uint32Array): Promise<Positions> {
    const entry = await this.#entry(word);
    if (entry === undefined) return { starts: new Uint32Array(docs.length + 1), all: new Uint32Array(0) };
    this.work.stats.addEntries(entry.count);
    return this.work.yielder.run(decodePositions(await this.reader.postings(entry), docs));
  }
}

export class FreshSearch implements TextPart {
  readonly ids: Float64Array;
  readonly lengths: Uint32Array;

  constructor(
    private readonly fresh: FreshWords,
    private readonly nextRow: number,
    private readonly work: SearchWork,
  ) {
    this.ids = fresh.ids;
    this.lengths = fresh.lengths;
  }

  find({ word, isPrefix }: SearchTerm): Promise<FoundTerm> {
    const only = isPrefix ? undefined : this.fresh.find(word);
    const lists = (isPrefix ? [...this.fresh.findAll(word)] : only === undefined ? [] : [only]).map((list) =>
      this.#current(list),
    );
    const count = lists.reduce((sum, { size }) => sum + size, 0);
    this.work.stats.addEntries(count);
    const docs = (): Promise<DocList> => this.work.yielder.run(joinLists(lists, this.fresh.size));
    return Promise.resolve({ count, isExact: lists.length < 2, docs });
  }

  /** @param list docs and how often each has the word, one after the other */
  #current(list: readonly number[]): DocList {
    const docs = new Uint32Array(list.length / 2);
    const times = new Uint32Array(list.length / 2);
    let size = 0;
    for (let at = 0; at < list.length; at += 2) {
      const doc = list[at] ?? 0;
      if (!this.fresh.isCurrent(doc, this.nextRow)) continue;
      docs[size] = doc;
      times[size++] = list[at + 1] ?? 0;
    }
    return { docs, times, size };
  }

  async positions(word: Word, docs: Uint32Array): Promise<Positions> {
    const { yielder } = this.work;
    const all: number[] = [];
    const starts = new Uint32Array(docs.length + 1);
    for (const [i, doc] of docs.entries()) {
      for (const position of this.fresh.positionsIn(doc, word)) all.push(position);
      starts[i + 1] = all.length;
      if (yielder.isDue) await yielder.take();
    }
    return { starts, all: Uint32Array.from(all) };
  }
}
