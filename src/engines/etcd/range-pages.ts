import { afterPrefix, commonLength } from '../../lib/bytes.js';
import { getKey, type Pair, type Range, type RangeAnswer } from './requests.js';

/** Bytes of a key that are counted with: as many as a number holds exactly. */
const COUNTED_BYTES = 6;
const COUNTED_END = 2 ** (8 * COUNTED_BYTES);
/** How many times as far as the page before the next one reaches. */
const REACH = 2;
/** By how much more when there was little in reach. */
const REACH_GROWTH = 8;

/** Two keys that a page lay between. */
interface Span {
  readonly first: Buffer;
  readonly last: Buffer;
}

/**
 * Reads a range page by page, in order. etcd visits every key of what it is asked for, however few it may answer: were
 * each page asked for up to the end of the range, the time would grow with the square of the keys. So a page is asked
 * for up to a key that is not far, judged by how far the page before reached.
 * @param ask answers the first pairs of a range, and whether there are more in it
 */
export async function* iteratePages(
  { start, end: stop }: Required<Range>,
  ask: (range: Required<Range>) => Promise<RangeAnswer>,
): AsyncGenerator<readonly Pair[]> {
  let [from, to] = [start, stop];
  let span: Span | undefined;
  let reach = REACH;
  for (;;) {
    const { kvs = [], more } = await ask({ start: from, end: to });
    if (kvs.length > 0) yield kvs;
    if (more === true) {
      const [first, last] = [keyAt(kvs, 0), keyAt(kvs, -1)];
      if (kvs.length > 1) span = { first, last };
      reach = REACH;
      from = Buffer.concat([last, Buffer.from([0])]);
    } else if (to.equals(stop)) return;
    else {
      reach *= REACH_GROWTH;
      from = to;
    }
    const next = span && keyBehind(from, span, reach);
    to = next === undefined || next.compare(stop) > 0 ? stop : next;
  }
}

function keyAt(pairs: readonly Pair[], n: number): Buffer {
  const pair = pairs.at(n);
  if (pair === undefined) throw new Error('etcd announced more keys but returned none');
  return getKey(pair);
}

/**
 * A key so many spans behind another one. It stays among the keys that begin as both of the span; behind the last of
 * these it leaves one byte of the beginning after the other.
 * @returns undefined when nothing comes after these
 */
function keyBehind(from: Buffer, { first, last }: Span, spans: number): Buffer | undefined {
  const length = commonLength(first, last);
  const beginning = last.subarray(0, length);
  if (!beginning.equals(from.subarray(0, length))) return afterPrefix(from.subarray(0, -1));
  const distance = Math.max(1, counted(last, length) - counted(first, length));
  const target = counted(from, length) + distance * spans;
  if (target >= COUNTED_END) return afterPrefix(beginning);
  const rest = Buffer.alloc(COUNTED_BYTES);
  rest.writeUIntBE(target, 0, COUNTED_BYTES);
  return Buffer.concat([beginning, rest]);
}

/** Bytes of a key from a place on, as a number. */
function counted(key: Buffer, at: number): number {
  const bytes = Buffer.alloc(COUNTED_BYTES);
  key.copy(bytes, 0, at, at + COUNTED_BYTES);
  return bytes.readUIntBE(0, COUNTED_BYTES);
}
