import type { Segment } from './path.js';

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  variable: Node<T> | undefined;
  /** Entries by method. */
  readonly entries: Map<string, T>;
}

/** The result of a search for a path. */
export type FoundRoute<T> =
  | { readonly kind: 'entry'; readonly entry: T; readonly values: readonly string[] }
  /** The path exists, but not for the method. */
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] };

/**
 * Routes by the segments of their paths. A literal segment is tried before a variable; the variable is tried when the literal has
 * no entry for the method.
 */
export class RouteTree<T> {
  readonly #root: Node<T> = newNode();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Finds the entry of the same method and shape of path; the names of variables are ignored. */
  findSame(method: string, path: readonly Segment[]): T | undefined {
    let node: Node<T> | undefined = this.#root;
    for (const segment of path) node = 'text' in segment ? node?.literals.get(segment.text) : node?.variable;
    return node?.entries.get(method);
  }

  /** Adds an entry and replaces the {@link findSame same} one. */
  insert(method: string, path: readonly Segment[], entry: T): void {
    let node = this.#root;
    for (const segment of path) node = getChild(node, segment);
    if (!node.entries.has(method)) this.#size++;
    node.entries.set(method, entry);
  }

  /**
   * Finds the entry for a request.
   * @param path decoded; the values of variables are parts of it, in order
   * @returns undefined when no route has the path
   */
  find(method: string, path: readonly string[]): FoundRoute<T> | undefined {
    const allowed = new Set<string>();
    const visit: Visit<T, FoundRoute<T>> = (node, values) => {
      const entry = node.entries.get(method);
      if (entry !== undefined) return { kind: 'entry', entry, values };
      for (const other of node.entries.keys()) allowed.add(other);
      return undefined;
    };
    const found = search(this.#root, { path, visit }, 0, []);
    if (found !== undefined) return found;
    return allowed.size === 0 ? undefined : { kind: 'other-method', allowed: [...allowed] };
  }

  /** Removes all entries that fit, and the nodes that become empty. */
  remove(fits: (entry: T) => boolean): void {
    this.#size -= prune(this.#root, fits);
  }
}

function newNode<T>(): Node<T> {
  return { literals: new Map(), variable: undefined, entries: new Map() };
}

function getChild<T>(node: Node<T>, segment: Segment): Node<T> {
  if (!('text' in segment)) return (node.variable ??= newNode());
  const known = node.literals.get(segment.text);
  if (known !== undefined) return known;
  const made = newNode<T>();
  node.literals.set(segment.text, made);
  return made;
}

type Visit<T, R> = (node: Node<T>, values: readonly string[]) => R | undefined;

function search<T, R>(
  node: Node<T>,
  wanted: { readonly path: readonly string[]; readonly visit: Visit<T, R> },
  at: number,
  values: readonly string[],
): R | undefined {
  const segment = wanted.path[at];
  if (segment === undefined) return node.entries.size === 0 ? undefined : wanted.visit(node, values);
  const literal = node.literals.get(segment);
  const found = literal && search(literal, wanted, at + 1, values);
  if (found !== undefined || node.variable === undefined) return found;
  return search(node.variable, wanted, at + 1, [...values, segment]);
}

/** @returns the number of removed entries */
function prune<T>(node: Node<T>, fits: (entry: T) => boolean): number {
  let gone = 0;
  for (const [method, entry] of [...node.entries]) {
    if (!fits(entry)) continue;
    node.entries.delete(method);
    gone++;
  }
  for (const [text, child] of [...node.literals]) {
    gone += prune(child, fits);
    if (isEmpty(child)) node.literals.delete(text);
  }
  if (node.variable !== undefined) {
    gone += prune(node.variable, fits);
    if (isEmpty(node.variable)) node.variable = undefined;
  }
  return gone;
}

function isEmpty(node: Node<unknown>): boolean {
  return node.entries.size === 0 && node.literals.size === 0 && node.variable === undefined;
}
