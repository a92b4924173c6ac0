import { countYielding } from '../../lib/work/yield.js';
import type { TextSegment } from '../../store/text/rows.js';
import { Newest } from '../../store/text/newest.js';
import { NumberedIds } from '../order/numbered-ids.js';

/** The docs of a segment in memory. */
export class KeptDocs {
  readonly #maxId: number;
  #numbers: Promise<NumberedIds> | undefined;

  /** @param ids of the objects @param lengths numbers of words; both by the number of the doc */
  constructor(
    readonly segment: TextSegment,
    readonly ids: Float64Array,
    readonly lengths: Uint32Array,
  ) {
    let maxId = -1;
    for (const id of ids) if (id > maxId) maxId = id;
    this.#maxId = maxId;
  }

  /** Approximate memory, with the numbers. */
  get bytes(): number {
    return this.ids.length * 30;
  }

  async docsOf(objectIds: readonly number[]): Promise<number[]> {
    const possible = objectIds.filter((id) => id <= this.#maxId);
    if (possible.length === 0) return [];
    const numbers = await (this.#numbers ??= this.#read());
    return possible.flatMap((id) => numbers.findNumber(id) ?? []);
  }

  async #read(): Promise<NumberedIds> {
    const numbers = new NumberedIds(this.ids.length);
    await countYielding(this.ids.length, (doc) => void numbers.add(this.ids[doc] ?? 0));
    return numbers;
  }
}

/** A segment at a moment. */
export interface SegmentPart {
  readonly docs: KeptDocs;
  /** A bit for each doc whose object has newer words, or none; undefined without such docs. */
  readonly dead: Uint32Array | undefined;
}

/** The segment at a later moment. @param objectIds of objects whose words have changed since */
export async function withoutObjects(part: SegmentPart, objectIds: readonly number[]): Promise<SegmentPart> {
  const { docs, dead } = part;
  const changed = await docs.docsOf(objectIds);
  if (changed.length === 0) return part;
  const bits = dead?.slice() ?? newBits(docs);
  for (const doc of changed) setBit(bits, doc);
  return { docs, dead: bits };
}

/** Segments at a moment, oldest first. @param isFresh true for an object that has a fresh row */
export async function partsOf(
  segments: readonly KeptDocs[],
  isFresh: (objectId: number) => boolean,
): Promise<SegmentPart[]> {
  const seen = new Newest();
  const parts: SegmentPart[] = [];
  for (const docs of segments.toReversed()) {
    const bits = newBits(docs);
    let deadCount = 0;
    await countYielding(docs.ids.length, (doc) => {
      const id = docs.ids[doc] ?? 0;
      if (seen.get(id) > 0 || isFresh(id)) {
        setBit(bits, doc);
        deadCount++;
      } else seen.set(id, 1);
    });
    parts.unshift({ docs, dead: deadCount > 0 ? bits : undefined });
  }
  return parts;
}

function newBits({ ids }: KeptDocs): Uint32Array {
  return new Uint32Array((ids.length + 31) >>> 5);
}

function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}
