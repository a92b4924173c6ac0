import { parseYamlAll, type YamlDocument } from '../lib/json/yaml.js';

/** A mapping whose values nobody has looked at. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a mapping: an object, and not a list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A person writes these files by hand: more aliases than this are a mistake. */
const ALIASES_MAX = 100;

/**
 * The documents of a plugin's YAML file, in order.
 * @throws ServiceError `BadRequest` with file:line:column when it is malformed
 */
export function readDocuments(text: string, file: string): YamlDocument[] {
  return parseYamlAll(text, { filename: file, maxAliases: ALIASES_MAX });
}
