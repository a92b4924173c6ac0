import { afterPrefix, commonLength } from '../../lib/bytes.js';
import { getKey, type Pair, type Range, type RangeAnswer } from './requests.js';

/** Bytes of a key that are used as a number: the most that a number represents exactly. */
const COUNTED_BYTES = 6;
const COUNTED_END = 2 ** (8 * COUNTED_BYTES);
/** Factor between the distance covered by a page and that of the next one. */
const REACH = 2;
/** Further factor when a page had few pairs. */
const REACH_GROWTH = 8;

/** The first and the last key of a page. */
interface Span {
  readonly first: Buffer;
  readonly last: Buffer;
}

/**
 * Reads a range page by page, in order. etcd visits every key of the requested range, however small the limit. If
 * each page requested the range up to its end, the time would grow with the square of the keys. So a page ends at a
 * near key, estimated from the distance that the previous page covered.
 * @param ask returns the first pairs of a range, and if it has more
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
 * A key at a distance of several spans. It keeps the common prefix of the span; at the end of the keys with that
 * prefix, each further call shortens the prefix by one byte.
 * @returns undefined when no keys can follow
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

/** Bytes of a key from an offset, as a number. */
function counted(key: Buffer, at: number): number {
  const bytes = Buffer.alloc(COUNTED_BYTES);
  key.copy(bytes, 0, at, at + COUNTED_BYTES);
  return bytes.readUIntBE(0, COUNTED_BYTES);
}
