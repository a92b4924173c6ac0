/** Sets of numbers below 2^16, as sorted lists or as bitmaps. Functions on two of them return new ones. */

/** The number of bits of a bitmap. */
export const GROUP = 0x10000;
const WORDS = GROUP / 32;
/** A longer list takes more memory than a bitmap. */
export const LIST_MAX = 4096;

/** Sorted numbers, or a bit for each number. */
export type Container = Uint16Array | Uint32Array;

export function isBitmap(container: Container): container is Uint32Array {
  return container instanceof Uint32Array;
}

export function andContainers(a: Container | undefined, b: Container | undefined): Container | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (isBitmap(a) && isBitmap(b)) {
    const words = new Uint32Array(WORDS);
    for (let i = 0; i < WORDS; i++) words[i] = (a[i] ?? 0) & (b[i] ?? 0);
    return words;
  }
  const [list, other] = isBitmap(a) ? [b, a] : [a, b];
  const isIn = membership(other);
  return list.filter((low) => isIn(low));
}

export function unite(containers: readonly Container[]): Container {
  const [only, second] = containers;
  if (only !== undefined && second === undefined) return only.slice();
  const lists = containers.filter((one) => !isBitmap(one));
  const length = lists.reduce((sum, one) => sum + one.length, 0);
  if (lists.length < containers.length || length > LIST_MAX) return toOneBitmap(containers);
  return lists.reduce(mergeLists);
}

/** Sets the bits of a container's ids. */
function mark(words: Int32Array, container: Container): void {
  if (isBitmap(container)) {
    for (let i = 0; i < WORDS; i++) words[i] = (words[i] ?? 0) | (container[i] ?? 0);
    return;
  }
  for (let i = 0; i < container.length; i++) {
    const low = container[i] ?? 0;
    const at = low >>> 5;
    words[at] = (words[at] ?? 0) | (1 << (low & 31));
  }
}

function toOneBitmap(containers: readonly Container[]): Uint32Array {
  const words = new Int32Array(WORDS);
  for (const one of containers) mark(words, one);
  return new Uint32Array(words.buffer);
}

/** Merges two sorted lists; each id once. */
function mergeLists(a: Uint16Array, b: Uint16Array): Uint16Array {
  const out = new Uint16Array(a.length + b.length);
  let i = 0;
  let j = 0;
  let count = 0;
  while (i < a.length && j < b.length) {
    const x = a[i] ?? 0;
    const y = b[j] ?? 0;
    out[count++] = x < y ? x : y;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  while (i < a.length) out[count++] = a[i++] ?? 0;
  while (j < b.length) out[count++] = b[j++] ?? 0;
  return count === out.length ? out : out.slice(0, count);
}

export function andNotContainers(a: Container | undefined, b: Container | undefined): Container | undefined {
  if (a === undefined || b === undefined) return a?.slice();
  if (!isBitmap(a)) {
    const isIn = membership(b);
    return a.filter((low) => !isIn(low));
  }
  const words = a.slice();
  if (isBitmap(b)) for (let i = 0; i < WORDS; i++) words[i] = (words[i] ?? 0) & ~(b[i] ?? 0);
  else for (const low of b) words[low >>> 5] = (words[low >>> 5] ?? 0) & ~(1 << (low & 31));
  return words;
}

export function membership(container: Container): (low: number) => boolean {
  if (isBitmap(container)) return (low) => hasBit(container, low);
  return (low) => container[lowerBound(container, low)] === low;
}

export function hasBit(words: Uint32Array, low: number): boolean {
  return ((words[low >>> 5] ?? 0) & (1 << (low & 31))) !== 0;
}

/** Position of the first element that is not smaller. */
export function lowerBound(list: Uint16Array, low: number): number {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((list[middle] ?? 0) < low) from = middle + 1;
    else to = middle;
  }
  return from;
}

function popCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

export function countBits(words: Uint32Array): number {
  let sum = 0;
  for (const word of words) sum += popCount(word);
  return sum;
}

export function forEachBit(words: Uint32Array, visit: (low: number) => void): void {
  for (let i = 0; i < words.length; i++) {
    let word = words[i] ?? 0;
    while (word !== 0) {
      const lowest = word & -word;
      visit(i * 32 + (31 - Math.clz32(lowest)));
      word ^= lowest;
    }
  }
}

export function toBitmap(list: readonly number[] | Uint16Array): Uint32Array {
  const words = new Uint32Array(WORDS);
  for (const low of list) words[low >>> 5] = (words[low >>> 5] ?? 0) | (1 << (low & 31));
  return words;
}

/** Chooses the smaller of the two forms. */
export function compact(words: Uint32Array, size: number): Container {
  if (size > LIST_MAX) return words;
  const list = new Uint16Array(size);
  let at = 0;
  forEachBit(words, (low) => (list[at++] = low));
  return list;
}
