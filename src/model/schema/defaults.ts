import { DEPTH_MAX, setOwn } from '../../lib/json/json.js';
import { linearRegExp } from '../../lib/linear-reg-exp.js';
import { spend } from '../../lib/work/allowance.js';
import { Fallback } from './fallback.js';
import { allowsNull } from './nullability.js';
import type { JsonObject } from '../object.js';
import { followPointer, getEntries, getItems, getList, isJsonObject } from './schema-walk.js';

/** Sets defaults in a value, in place. */
export type FillDefaults = (value: unknown) => void;

/** A declared field with a default. */
interface Default {
  readonly name: string;
  readonly fallback: Fallback;
  readonly replacesNull: boolean;
}

/** A relation to a schema for the values below, or for the same value. */
type Edge = { readonly to: Node } & (
  | { readonly kind: 'same' }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'otherFields'; readonly isOne: (name: string) => boolean }
  | { readonly kind: 'items'; readonly from: number; readonly until: number }
);

/** A schema as a node of a graph, which may have cycles. */
interface Node {
  readonly defaults: readonly Default[];
  /** Only edges that lead to defaults. */
  edges: readonly Edge[];
}

/**
 * Compiles the defaults of a schema. They are set where a field is absent, and where it is null although null is not
 * allowed. Defaults come before validation, so `oneOf` and similar keywords check the value as it will be stored.
 * Defaults inside their branches are not used.
 */
export function compileDefaults(root: JsonObject): FillDefaults {
  const graph = new SchemaGraph(root);
  const node = graph.getNode(root);
  graph.prune();
  return (value) => fill(value, node, 0);
}

function fill(value: unknown, { defaults, edges }: Node, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
  spend(1 + edges.length, 'defaults');
  if (Array.isArray(value)) {
    for (const edge of edges) fillItems(value, edge, depth + 1);
    return;
  }
  const object = value as Record<string, unknown>;
  for (const { name, fallback, replacesNull } of defaults) {
    const given = Object.hasOwn(object, name) ? object[name] : undefined;
    if (given === undefined || (given === null && replacesNull)) setOwn(object, name, fallback.copy());
  }
  for (const edge of edges) fillFields(object, edge, depth + 1);
}

function fillItems(items: readonly unknown[], edge: Edge, depth: number): void {
  if (edge.kind === 'same') fill(items, edge.to, depth);
  if (edge.kind !== 'items') return;
  const until = Math.min(edge.until, items.length);
  for (let at = edge.from; at < until; at++) fill(items[at], edge.to, depth);
}

function fillFields(object: Record<string, unknown>, edge: Edge, depth: number): void {
  if (edge.kind === 'same') fill(object, edge.to, depth);
  else if (edge.kind === 'field') {
    if (Object.hasOwn(object, edge.name)) fill(object[edge.name], edge.to, depth);
  } else if (edge.kind === 'otherFields') {
    for (const name of Object.keys(object)) if (edge.isOne(name)) fill(object[name], edge.to, depth);
  }
}

class SchemaGraph {
  readonly #nodes = new Map<JsonObject, Node>();

  constructor(private readonly root: JsonObject) {}

  getNode(schema: JsonObject): Node {
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: Node = { defaults: this.#getDefaults(schema), edges: [] };
    // Before the schemas below, which may refer back to it.
    this.#nodes.set(schema, node);
    node.edges = [...this.#sameEdges(schema), ...this.#fieldEdges(schema), ...this.#itemEdges(schema)];
    return node;
  }

  /** Removes edges that lead to no default. */
  prune(): void {
    const leading = new Set([...this.#nodes.values()].filter(({ defaults }) => defaults.length > 0));
    for (let before = -1; before < leading.size;) {
      before = leading.size;
      for (const node of this.#nodes.values())
        if (node.edges.some(({ to }) => leading.has(to))) leading.add(node);
    }
    for (const node of this.#nodes.values()) node.edges = node.edges.filter(({ to }) => leading.has(to));
  }

  #getDefaults({ properties }: JsonObject): Default[] {
    return getEntries(properties).flatMap(([name, schema]) => {
      if (!isJsonObject(schema) || schema.default === undefined) return [];
      return [{ name, fallback: new Fallback(schema.default), replacesNull: !allowsNull(schema, this.root) }];
    });
  }

  *#sameEdges({ $ref, allOf }: JsonObject): Generator<Edge> {
    const target = typeof $ref === 'string' ? followPointer(this.root, $ref)?.at(-1) : undefined;
    for (const part of [target, ...getList(allOf)])
      if (isJsonObject(part)) yield { kind: 'same', to: this.getNode(part) };
  }

  *#fieldEdges({ properties, patternProperties, additionalProperties }: JsonObject): Generator<Edge> {
    const names = new Set<string>();
    for (const [name, schema] of getEntries(properties)) {
      names.add(name);
      if (isJsonObject(schema)) yield { kind: 'field', name, to: this.getNode(schema) };
    }
    const patterns = getEntries(patternProperties).map(
      ([pattern, schema]) => [linearRegExp(pattern), schema] as const,
    );
    for (const [pattern, schema] of patterns) {
      if (!isJsonObject(schema)) continue;
      yield { kind: 'otherFields', isOne: (name) => pattern.test(name), to: this.getNode(schema) };
    }
    if (!isJsonObject(additionalProperties)) return;
    const isOne = (name: string): boolean =>
      !names.has(name) && patterns.every(([pattern]) => !pattern.test(name));
    yield { kind: 'otherFields', isOne, to: this.getNode(additionalProperties) };
  }

  *#itemEdges(schema: JsonObject): Generator<Edge> {
    const { tuple, rest } = getItems(schema);
    for (const [from, item] of tuple.entries())
      if (isJsonObject(item)) yield { kind: 'items', from, until: from + 1, to: this.getNode(item) };
    if (isJsonObject(rest))
      yield { kind: 'items', from: tuple.length, until: Infinity, to: this.getNode(rest) };
  }
}
