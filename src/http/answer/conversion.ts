import { getMessage, ServiceError } from '../../errors.js';
import { formatYaml, formatYamlItem, parseYaml } from '../../lib/json/yaml.js';
import { parseObject } from '../../store/object-record.js';
import type { Format } from './media.js';
import { TableShape, type TableForm } from '../routes/table.js';

/** JSON of objects, each behind one byte: what opens an array, or a comma. */
export interface Items {
  readonly bytes: Uint8Array;
  /** Where each object ends. */
  readonly ends: readonly number[];
}

/** Objects, and what to write them as: data, so that another thread can be told. */
export interface Conversion {
  readonly items: Items;
  readonly format: Format;
  /** Present: as rows. */
  readonly table?: { readonly form: TableForm; readonly nowMs: number } | undefined;
}

/** Text for each object, as it is in the array of a list; in JSON it comes behind the byte that the object is behind. */
export function* convert({ items, format, table }: Conversion): Generator<string> {
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

/** JSON as a YAML document. */
export function toYaml(json: Uint8Array): Buffer {
  return Buffer.from(formatYaml(parseObject(json)));
}

/** What a body in YAML says. @throws ServiceError `BadRequest` */
export function parseYamlBody(yaml: Uint8Array): unknown {
  // An alias in a request is a bomb or a mistake; people who write files by hand use `xsvc apply`.
  return parseYaml(yaml, { maxAliases: 0 });
}

/** A body as JSON, or what is wrong with it: data, so that another thread can tell it. */
export type ReadBody = { readonly json: Uint8Array } | { readonly fault: string };

export function readYamlBody(yaml: Uint8Array): ReadBody {
  try {
    return { json: Buffer.from(JSON.stringify(parseYamlBody(yaml))) };
  } catch (error) {
    if (error instanceof ServiceError) return { fault: getMessage(error) };
    throw error;
  }
}
