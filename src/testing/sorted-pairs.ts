/** Keys as text of one character a byte, whose order is that of the bytes. */
export type Key = string;

/** Called with each pair of a range. It continues while it returns true. */
type VisitSorted = (key: Key, value: Buffer) => boolean;

/** From `start` (inclusive) to `end` (exclusive). */
interface Bounds {
  readonly start: Key;
  readonly end: Key;
  readonly reverse: boolean;
}

interface Leaf {
  readonly keys: readonly Key[];
  readonly values: readonly Buffer[];
}

interface Branch {
  /** The keys of each child are not before its key here, except those of the first child, and before the next one. */
  readonly keys: readonly Key[];
  readonly children: readonly Part[];
}

type Part = Leaf | Branch;

/** Most keys of a part of the tree; larger parts are split. */
const KEYS_MAX = 64;

const NOTHING: Leaf = { keys: [], values: [] };

/**
 * Pairs in the order of their keys, as a tree that never changes: a change makes a tree with new parts on the way to
 * the key, and shares the others. So an older state stays as it is, at no cost.
 */
export class SortedPairs {
  static readonly EMPTY = new SortedPairs(NOTHING);

  private constructor(private readonly root: Part) {}

  get(key: Key): Buffer | undefined {
    let part = this.root;
    while ('children' in part) {
      const child = part.children[childFor(part, key)];
      if (child === undefined) return undefined;
      part = child;
    }
    const at = firstFrom(part.keys, key);
    return part.keys[at] === key ? part.values[at] : undefined;
  }

  with(key: Key, value: Buffer): SortedPairs {
    const [part, right] = put(this.root, key, value);
    if (right === undefined) return new SortedPairs(part);
    return new SortedPairs({ keys: [part.keys[0] ?? '', right.keys[0] ?? ''], children: [part, right] });
  }

  without(key: Key): SortedPairs {
    const part = remove(this.root, key);
    return part === this.root ? this : new SortedPairs(part ?? NOTHING);
  }

  /** Visits the pairs of a range in order, until the visitor ends it. */
  visit(bounds: Bounds, visit: VisitSorted): void {
    visitPart(this.root, bounds, visit);
  }
}

/** The position of the first key that is not before the given one. */
function firstFrom(keys: readonly Key[], key: Key): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The position of the child that has a key, or would have it. */
function childFor({ keys }: Branch, key: Key): number {
  const at = firstFrom(keys, key);
  return keys[at] === key ? at : Math.max(0, at - 1);
}

/** @returns the part with the pair, and the part after it when it was split */
function put(part: Part, key: Key, value: Buffer): readonly [Part, Part?] {
  if (!('children' in part)) return putInLeaf(part, key, value);
  const at = childFor(part, key);
  const child = part.children[at];
  if (child === undefined) return [{ keys: [key], values: [value] }];
  const [left, right] = put(child, key, value);
  const children = part.children.with(at, left);
  if (right === undefined) return [{ keys: part.keys, children }];
  const keys = part.keys.toSpliced(at + 1, 0, right.keys[0] ?? '');
  children.splice(at + 1, 0, right);
  if (keys.length <= KEYS_MAX) return [{ keys, children }];
  const half = keys.length >> 1;
  return [
    { keys: keys.slice(0, half), children: children.slice(0, half) },
    { keys: keys.slice(half), children: children.slice(half) },
  ];
}

function putInLeaf(leaf: Leaf, key: Key, value: Buffer): readonly [Leaf, Leaf?] {
  const at = firstFrom(leaf.keys, key);
  if (leaf.keys[at] === key) return [{ keys: leaf.keys, values: leaf.values.with(at, value) }];
  const keys = leaf.keys.toSpliced(at, 0, key);
  const values = leaf.values.toSpliced(at, 0, value);
  if (keys.length <= KEYS_MAX) return [{ keys, values }];
  // Keys are often added in order: the parts before the last one are then full.
  const half = at === keys.length - 1 ? at : keys.length >> 1;
  return [
    { keys: keys.slice(0, half), values: values.slice(0, half) },
    { keys: keys.slice(half), values: values.slice(half) },
  ];
}

/** @returns the part without the key: the same when it does not have it, undefined when nothing is left */
function remove(part: Part, key: Key): Part | undefined {
  if (!('children' in part)) {
    const at = firstFrom(part.keys, key);
    if (part.keys[at] !== key) return part;
    if (part.keys.length === 1) return undefined;
    return { keys: part.keys.toSpliced(at, 1), values: part.values.toSpliced(at, 1) };
  }
  const at = childFor(part, key);
  const child = part.children[at];
  const left = child && remove(child, key);
  if (left === child) return part;
  if (left !== undefined) return { keys: part.keys, children: part.children.with(at, left) };
  if (part.children.length === 1) return undefined;
  return { keys: part.keys.toSpliced(at, 1), children: part.children.toSpliced(at, 1) };
}

/** @returns false when the visitor has ended it */
function visitPart(part: Part, bounds: Bounds, visit: VisitSorted): boolean {
  return 'children' in part ? visitBranch(part, bounds, visit) : visitLeaf(part, bounds, visit);
}

function visitBranch(branch: Branch, bounds: Bounds, visit: VisitSorted): boolean {
  const first = childFor(branch, bounds.start);
  const last = Math.min(childFor(branch, bounds.end), branch.children.length - 1);
  for (let i = 0; i <= last - first; i++) {
    const child = branch.children[bounds.reverse ? last - i : first + i];
    if (child !== undefined && !visitPart(child, bounds, visit)) return false;
  }
  return true;
}

function visitLeaf({ keys, values }: Leaf, { start, end, reverse }: Bounds, visit: VisitSorted): boolean {
  const first = firstFrom(keys, start);
  const after = firstFrom(keys, end);
  for (let i = 0; i < after - first; i++) {
    const at = reverse ? after - 1 - i : first + i;
    const [key, value] = [keys[at], values[at]];
    if (key !== undefined && value !== undefined && !visit(key, value)) return false;
  }
  return true;
}
