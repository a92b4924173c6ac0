import { parseYamlAll, type YamlDocument } from '../lib/json/yaml.js';

/** A mapping whose values are not checked. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** The limit of aliases: people write these files by hand, so more are a mistake. */
const ALIASES_MAX = 100;

/**
 * The documents of a plugin's YAML file, in order.
 * @throws ServiceError `BadRequest` with file:line:column when it is malformed
 */
export function readDocuments(text: string, file: string): YamlDocument[] {
  return parseYamlAll(text, { filename: file, maxAliases: ALIASES_MAX });
}
