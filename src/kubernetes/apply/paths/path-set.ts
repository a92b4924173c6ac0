import { inOrder, type PathElement } from './element.js';

export type FieldPath = readonly PathElement[];

/** A step of paths of a set. At least one of its members holds. */
export interface PathNode {
  /** True when the path that ends here is in the set. */
  readonly isMember: boolean;
  /** The rest of longer paths; undefined without any, never empty. */
  readonly below: PathSet | undefined;
}

/**
 * A set of paths to fields, as a tree of steps. A path in the set says nothing about the fields below it.
 * It is built with {@link insert} and {@link put}; after that it does not change, because sets share parts.
 */
export class PathSet {
  readonly #nodes: Map<PathElement, PathNode>;

  constructor(nodes: Iterable<readonly [PathElement, PathNode]> = []) {
    this.#nodes = new Map(nodes);
  }

  get nodes(): ReadonlyMap<PathElement, PathNode> {
    return this.#nodes;
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  /** The empty path is the whole object, which is never in a set. */
  insert(path: FieldPath): void {
    const [first, ...rest] = path;
    if (first === undefined) return;
    const node = this.#nodes.get(first);
    if (rest.length === 0) {
      this.put(first, { isMember: true, below: node?.below });
      return;
    }
    const below = node?.below ?? new PathSet();
    below.insert(rest);
    this.put(first, { isMember: node?.isMember ?? false, below });
  }

  /** Sets a step. One without members and without steps below is left out. */
  put(element: PathElement, { isMember, below }: PathNode): void {
    const full = below?.isEmpty === true ? undefined : below;
    if (isMember || full !== undefined) this.#nodes.set(element, { isMember, below: full });
    else this.#nodes.delete(element);
  }

  has(path: FieldPath): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    const node = this.#nodes.get(first);
    return (rest.length === 0 ? node?.isMember : node?.below?.has(rest)) ?? false;
  }

  /** All paths in the order of Kubernetes: shorter ones before those below the same step. */
  *paths(prefix: FieldPath = []): Generator<FieldPath, void> {
    const elements = inOrder(this.#nodes.keys());
    for (const element of elements)
      if (this.#nodes.get(element)?.isMember === true) yield [...prefix, element];
    for (const element of elements) yield* this.#nodes.get(element)?.below?.paths([...prefix, element]) ?? [];
  }

  equals(other: PathSet): boolean {
    if (this === other) return true;
    if (this.#nodes.size !== other.#nodes.size) return false;
    for (const [element, { isMember, below }] of this.#nodes) {
      const node = other.#nodes.get(element);
      if (node?.isMember !== isMember) return false;
      if (below === undefined || node.below === undefined) {
        if (below !== node.below) return false;
      } else if (!below.equals(node.below)) return false;
    }
    return true;
  }
}

export const NO_PATHS = new PathSet();

export function pathSet(...paths: readonly FieldPath[]): PathSet {
  const set = new PathSet();
  for (const path of paths) set.insert(path);
  return set;
}
