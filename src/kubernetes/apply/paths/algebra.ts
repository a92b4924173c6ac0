import { NO_PATHS, PathSet } from './path-set.js';

export function union(a: PathSet, b: PathSet): PathSet {
  if (a.isEmpty || a === b) return b;
  if (b.isEmpty) return a;
  const out = new PathSet(a.nodes);
  for (const [element, node] of b.nodes) {
    const known = a.nodes.get(element);
    if (known === undefined) out.put(element, node);
    else {
      const below = union(known.below ?? NO_PATHS, node.below ?? NO_PATHS);
      out.put(element, { isMember: known.isMember || node.isMember, below });
    }
  }
  return out;
}

/** The paths that are in any of several sets. Pairs are joined first, so that large sets are copied rarely. */
export function unionOfAll(sets: readonly PathSet[]): PathSet {
  const [first = NO_PATHS] = sets;
  if (sets.length < 2) return first;
  const half = Math.ceil(sets.length / 2);
  return union(unionOfAll(sets.slice(0, half)), unionOfAll(sets.slice(half)));
}

export function intersection(a: PathSet, b: PathSet): PathSet {
  if (a === b) return a;
  const [few, many] = a.nodes.size <= b.nodes.size ? [a, b] : [b, a];
  const out = new PathSet();
  for (const [element, node] of few.nodes) {
    const other = many.nodes.get(element);
    if (other === undefined) continue;
    const below = node.below && other.below && intersection(node.below, other.below);
    out.put(element, { isMember: node.isMember && other.isMember, below });
  }
  return out;
}

export function difference(a: PathSet, b: PathSet): PathSet {
  if (a.isEmpty || b.isEmpty) return a;
  const out = new PathSet();
  for (const [element, node] of a.nodes) {
    const other = b.nodes.get(element);
    if (other === undefined) out.put(element, node);
    else {
      const below = node.below && difference(node.below, other.below ?? NO_PATHS);
      out.put(element, { isMember: node.isMember && !other.isMember, below });
    }
  }
  return out;
}

/** The paths of the first set that are not in the other one, and not below one that is. */
export function without(a: PathSet, b: PathSet): PathSet {
  if (a.isEmpty || b.isEmpty) return a;
  const out = new PathSet();
  for (const [element, node] of a.nodes) {
    const other = b.nodes.get(element);
    if (other === undefined) out.put(element, node);
    else if (!other.isMember) {
      const below = node.below && without(node.below, other.below ?? NO_PATHS);
      out.put(element, { isMember: node.isMember, below });
    }
  }
  return out;
}

/** The paths that have no longer ones in the set. */
export function leaves(set: PathSet): PathSet {
  const out = new PathSet();
  for (const [element, { isMember, below }] of set.nodes)
    out.put(element, { isMember: isMember && below === undefined, below: below && leaves(below) });
  return out;
}
