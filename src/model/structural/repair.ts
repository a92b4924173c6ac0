import { cloneJson, DEPTH_MAX, isRecord, setOwn } from '../../lib/json/json.js';
import { suggest } from '../../lib/suggest.js';
import type { UnknownField } from '../declare/scheme.js';
import { fieldPath } from '../validate/field-path.js';
import { CAUSES_MAX } from '../validate/validator.js';
import { EMBEDDED_METADATA, METADATA } from './metadata.js';
import { ANYTHING, RESOURCE_FIELDS, type SchemaNode } from './node.js';

/**
 * Removes the fields that a schema does not declare, in place.
 * @returns the first of them, in the order of the data
 */
export function prune(node: SchemaNode, value: unknown): UnknownField[] {
  const pruning = new Pruning();
  pruning.visit(value, node, node.keepsUnknown);
  return pruning.unknown;
}

class Pruning {
  readonly unknown: UnknownField[] = [];
  readonly #way: (string | number)[] = [];

  /** @param isOpen undeclared fields stay, those of items included */
  visit(value: unknown, node: SchemaNode, isOpen: boolean): void {
    // Texts of objects nest less deep.
    if (this.#way.length > DEPTH_MAX) return;
    if (Array.isArray(value)) this.#visitItems(value, node.items, isOpen);
    else if (isRecord(value)) this.#visitFields(value, node, isOpen);
  }

  #visitItems(items: readonly unknown[], node: SchemaNode, isOpen: boolean): void {
    for (let at = 0; at < items.length; at++) {
      if (typeof items[at] !== 'object') continue;
      this.#way.push(at);
      this.visit(items[at], node, isOpen || node.keepsUnknown);
      this.#way.pop();
    }
  }

  #visitFields(object: Record<string, unknown>, node: SchemaNode, isOpen: boolean): void {
    for (const name of Object.keys(object)) {
      const isResourceField = node.resource !== undefined && RESOURCE_FIELDS.has(name);
      const field = isResourceField && name !== 'metadata' ? undefined : findField(node, name);
      if (field === undefined) {
        if (isOpen || isResourceField) continue;
        this.#add(name, node);
        delete object[name];
      } else if (typeof object[name] === 'object') {
        this.#way.push(name);
        this.visit(object[name], field, field.keepsUnknown);
        this.#way.pop();
      }
    }
  }

  #add(name: string, node: SchemaNode): void {
    if (this.unknown.length === CAUSES_MAX) return;
    const suggestion = suggest(name, node.fields.keys());
    const path = fieldPath([...this.#way, name]);
    this.unknown.push(suggestion === undefined ? { path } : { path, suggestion });
  }
}

/** Removes fields that are null, in place, where null is not a value and no default replaces it. */
export function dropNulls(node: SchemaNode, value: unknown): void {
  if (node === ANYTHING) return;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') dropNulls(node.items, item);
  } else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (typeof member !== 'object') continue;
      const field = findField(node, name);
      if (field === undefined) continue;
      if (member !== null) dropNulls(field, member);
      else if (!field.allowsNull && field.default === undefined) delete value[name];
    }
  }
}

/** The schema of a field that a value may have. */
export function findField(node: SchemaNode, name: string): SchemaNode | undefined {
  if (node.resource === undefined || name !== 'metadata') return node.field(name);
  return node.resource === 'object' ? METADATA : EMBEDDED_METADATA;
}

/** Sets the defaults of a schema in place: where a field is absent, and where null is not a value. */
export function setDefaults(node: SchemaNode, value: unknown): void {
  if (node === ANYTHING) return;
  if (Array.isArray(value)) {
    const { items } = node;
    for (let at = 0; at < value.length; at++) {
      if (value[at] === null && !items.allowsNull && items.default !== undefined)
        value[at] = cloneJson(items.default);
      if (typeof value[at] === 'object') setDefaults(items, value[at]);
    }
  } else if (isRecord(value)) setInFields(node, value);
}

function setInFields(node: SchemaNode, object: Record<string, unknown>): void {
  for (const [name, fallback] of node.defaults)
    if (!Object.hasOwn(object, name)) setOwn(object, name, cloneJson(fallback));
  for (const name of Object.keys(object)) {
    if (typeof object[name] !== 'object') continue;
    const field = node.field(name);
    if (field === undefined) continue;
    if (object[name] === null && !field.allowsNull && field.default !== undefined)
      setOwn(object, name, cloneJson(field.default));
    setDefaults(field, object[name]);
  }
}
