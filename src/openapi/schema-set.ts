import type { JsonObject } from '../model/object.js';
import { isJsonObject } from '../model/schema/schema-walk.js';
import { digestText } from './json-fragment.js';

/** A schema, separate from the named ones in its `$defs`. */
export interface SchemaSet {
  readonly root: JsonObject;
  readonly definitions: ReadonlyMap<string, JsonObject>;
  /** Equal for equal schemas, including all to which they refer. */
  readonly identity: string;
  readonly identities: ReadonlyMap<string, string>;
}

export function getSchemaSet(schema: JsonObject): SchemaSet {
  const { $defs, ...root } = schema;
  const definitions = new Map<string, JsonObject>();
  for (const [name, part] of Object.entries(isJsonObject($defs) ? $defs : {}))
    definitions.set(name, isJsonObject(part) ? part : {});
  const texts = new Map([...definitions].map(([name, part]) => [name, JSON.stringify(part)] as const));
  const getIdentity = (text: string): string => digestText([text, ...reachable(text, texts)].join('\n'));
  return {
    root,
    definitions,
    identity: getIdentity(JSON.stringify(root)),
    identities: new Map([...texts].map(([name, text]) => [name, getIdentity(text)] as const)),
  };
}

/** Name and text of every definition that a text refers to, by name. */
function reachable(text: string, texts: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  const todo = [text];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const [, name = ''] of next.matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) {
      const target = texts.get(name);
      if (target === undefined || found.has(name)) continue;
      found.add(name);
      todo.push(target);
    }
  }
  return [...found].sort().map((name) => `${name} ${texts.get(name) ?? ''}`);
}
