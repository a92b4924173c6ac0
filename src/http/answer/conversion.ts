import { getMessage, ServiceError } from '../../errors.js';
import { formatYaml, formatYamlItem, parseYaml } from '../../lib/json/yaml.js';
import { parseObject } from '../../store/object-record.js';
import type { Format } from './media.js';
import { TableShape, type TableForm } from '../routes/table.js';

/** JSON of objects, each after one byte: the start of an array, or a comma. */
export interface Items {
  readonly bytes: Uint8Array;
  /** End of each object. */
  readonly ends: readonly number[];
}

/** Objects and their output format, as data for another thread. */
export interface YamlConversion {
  readonly items: Items;
  readonly format: Format;
  /** Present: the output is rows. */
  readonly table?: { readonly form: TableForm; readonly nowMs: number } | undefined;
}

/** Yields the text of each object as an array item of a list; in JSON it follows the object's leading byte. */
export function* convert({ items, format, table }: YamlConversion): Generator<string> {
  const shape = table && new TableShape(table.form, { now: () => new Date(table.nowMs) });
  let start = 0;
  for (const end of items.ends) {
    const object = parseObject(items.bytes.subarray(start + 1, end));
    const value = shape === undefined ? object : shape.row(object);
    const lead = String.fromCharCode(items.bytes[start] ?? 0);
    yield format === 'yaml' ? formatYamlItem(value) : lead + JSON.stringify(value);
    start = end;
  }
}

/** Converts JSON to a YAML document. */
export function toYaml(json: Uint8Array): Buffer {
  return Buffer.from(formatYaml(parseObject(json)));
}

/**
 * Parses a body in YAML.
 * @throws ServiceError `BadRequest`
 */
export function parseYamlBody(yaml: Uint8Array): unknown {
  // An alias in a request is an attempt to exhaust memory, or a mistake; people with hand-written files use `xsvc
  // apply`.
  return parseYaml(yaml, { maxAliases: 0 });
}

/** A body as JSON, or its error, as data for another thread. */
export type ReadBody = { readonly json: Uint8Array } | { readonly fault: string };

export function readYamlBody(yaml: Uint8Array): ReadBody {
  try {
    return { json: Buffer.from(JSON.stringify(parseYamlBody(yaml))) };
  } catch (error) {
    if (error instanceof ServiceError) return { fault: getMessage(error) };
    throw error;
  }
}
