import { isRecord, parseJson } from '../../lib/json/json.js';
import type { Resource } from '../../model/resource.js';
import { getFields, findMember, getType, getView, type SchemaView } from '../explain/schema-view.js';

/** Maps whose keys may contain dots. */
const KEYED = /^(metadata)\.(labels|annotations)\.(.+)$/;

/** The steps of a field's path; `name` is short for `metadata.name`. */
export function getSteps(path: string): readonly string[] {
  if (path === 'name') return ['metadata', 'name'];
  return KEYED.exec(path)?.slice(1) ?? path.split('.');
}

/** True when the schema of the model has the field. */
export function isField({ schema }: Resource, steps: readonly string[]): boolean {
  const [first = ''] = steps;
  if (steps.includes('')) return false;
  return first === 'metadata' || getFields(schema, getView(schema, schema)).has(first);
}

/**
 * Parses cells of a field as its declared type: numbers, `true` and `false`; a list as JSON, or its values separated by `;`; an
 * object as JSON. A cell that cannot be parsed remains text, which the model then refuses.
 */
export function cellReader({ schema }: Resource, steps: readonly string[]): (cell: string) => unknown {
  let view: SchemaView | undefined = getView(schema, schema);
  for (const step of steps) {
    view = view && (getFields(schema, view).get(step) ?? findMember(schema, view));
  }
  const type = view === undefined ? 'string' : getType(schema, view);
  return (cell) => readCell(cell, type);
}

function readCell(cell: string, type: string): unknown {
  if (type.startsWith('[]')) {
    const list = parseJsonCell(cell);
    if (Array.isArray(list)) return list;
    return cell.split(';').map((part) => readCell(part.trim(), type.slice(2)));
  }
  switch (type) {
    case 'string':
      return cell;
    case 'integer':
    case 'number':
    case 'boolean': {
      const value = parseJsonCell(cell.toLowerCase());
      return typeof value === (type === 'boolean' ? 'boolean' : 'number') ? value : cell;
    }
    default: {
      const value = parseJsonCell(cell);
      return isRecord(value) ? value : cell;
    }
  }
}

function parseJsonCell(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
