import { DEPTH_MAX, isRecord, setOwn } from '../../lib/json/json.js';
import { suggest } from '../../lib/suggest.js';
import type { UnknownField } from '../declare/scheme.js';
import { fieldPath } from '../validate/field-path.js';
import { SUGGESTED_MAX } from '../validate/unknown-fields.js';
import { CAUSES_MAX } from '../validate/validator.js';
import { EMBEDDED_METADATA, METADATA } from './metadata.js';
import { RESOURCE_FIELDS, type SchemaNode } from './node.js';

/** The parts of a repair, which one walk makes together. */
interface Steps {
  readonly prunes?: boolean;
  readonly dropsNulls?: boolean;
  readonly setsDefaults?: boolean;
}

/** {@link prune}, {@link dropNulls} and {@link setDefaults}, as for an object that is written. */
export function repair(node: SchemaNode, value: unknown): UnknownField[] {
  return walk(node, value, { prunes: true, dropsNulls: true, setsDefaults: true });
}

/**
 * Removes the fields that a schema does not declare, in place.
 * @returns the first of them, in the order of the data
 */
export function prune(node: SchemaNode, value: unknown): UnknownField[] {
  return walk(node, value, { prunes: true });
}

/** Removes fields that are null, in place, where null is not a value and no default replaces it. */
export function dropNulls(node: SchemaNode, value: unknown): void {
  walk(node, value, { dropsNulls: true });
}

/** Sets the defaults of a schema in place: where a field is absent, and where null is not a value. */
export function setDefaults(node: SchemaNode, value: unknown): void {
  walk(node, value, { setsDefaults: true });
}

function walk(node: SchemaNode, value: unknown, steps: Steps): UnknownField[] {
  const repairing = new Repairing(steps);
  repairing.visit(value, node, node.keepsUnknown);
  return repairing.unknown;
}

class Repairing {
  readonly unknown: UnknownField[] = [];
  readonly #way: (string | number)[] = [];

  constructor(private readonly steps: Steps) {}

  /** @param isOpen undeclared fields stay, those of items included */
  visit(value: unknown, node: SchemaNode, isOpen: boolean): void {
    // Texts of objects nest less deep.
    if (this.#way.length > DEPTH_MAX) return;
    if (Array.isArray(value)) this.#visitItems(value, node.items, isOpen);
    else if (isRecord(value)) this.#visitFields(value, node, isOpen);
  }

  #visitItems(items: unknown[], node: SchemaNode, isOpen: boolean): void {
    const fallback = this.steps.setsDefaults === true && !node.allowsNull ? node.default : undefined;
    for (let at = 0; at < items.length; at++) {
      if (items[at] === null && fallback !== undefined) items[at] = fallback.copy();
      this.#visitBelow(at, items[at], node, isOpen || node.keepsUnknown);
    }
  }

  #visitFields(object: Record<string, unknown>, node: SchemaNode, isOpen: boolean): void {
    if (this.steps.dropsNulls === true && (node === METADATA || node === EMBEDDED_METADATA))
      dropEmpty(object);
    if (this.steps.setsDefaults === true)
      for (const [name, fallback] of node.defaults)
        if (!Object.hasOwn(object, name)) setOwn(object, name, fallback.copy());
    for (const name of Object.keys(object)) {
      const isKept = node.resource !== undefined && RESOURCE_FIELDS.has(name);
      const field = isKept && name !== 'metadata' ? undefined : findField(node, name);
      if (field === undefined) {
        if (this.steps.prunes === true && !isOpen && !isKept) this.#remove(object, name, node);
        continue;
      }
      if (object[name] === null) this.#replaceNull(object, name, field);
      this.#visitBelow(name, object[name], field, field.keepsUnknown);
    }
  }

  #visitBelow(step: string | number, value: unknown, node: SchemaNode, isOpen: boolean): void {
    if (typeof value !== 'object' || value === null) return;
    this.#way.push(step);
    this.visit(value, node, isOpen);
    this.#way.pop();
  }

  #remove(object: Record<string, unknown>, name: string, node: SchemaNode): void {
    delete object[name];
    if (this.unknown.length === CAUSES_MAX) return;
    const suggestion = this.unknown.length < SUGGESTED_MAX ? suggest(name, node.fields.keys()) : undefined;
    const path = fieldPath([...this.#way, name]);
    this.unknown.push(suggestion === undefined ? { path } : { path, suggestion });
  }

  #replaceNull(object: Record<string, unknown>, name: string, field: SchemaNode): void {
    if (field.allowsNull) return;
    if (field.default === undefined) {
      if (this.steps.dropsNulls === true) delete object[name];
    } else if (this.steps.setsDefaults === true) setOwn(object, name, field.default.copy());
  }
}

/** Labels, finalizers and the like without any are as absent. */
function dropEmpty(metadata: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(metadata)) if (isEmptyPart(value)) delete metadata[name];
}

function isEmptyPart(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

export function findField(node: SchemaNode, name: string): SchemaNode | undefined {
  if (node.resource === undefined || name !== 'metadata') return node.field(name);
  return node.resource === 'object' ? METADATA : EMBEDDED_METADATA;
}
