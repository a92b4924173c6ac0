import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { badRequest, getMessage, notFound } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { parseYamlAll } from '../../lib/json/yaml.js';

export interface GivenDefinition {
  readonly value: object;
  /** `file:line`, or the place in the list. */
  readonly place: string;
}

/** A file, a directory with files, or a definition itself. */
export type DefinitionSource = string | URL | object;

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);

/**
 * Reads definitions. Other objects in the files of a directory are passed over.
 * @throws ServiceError when there is no such file, one cannot be read, or a named one has no definition
 */
export async function readDefinitions(sources: readonly DefinitionSource[]): Promise<GivenDefinition[]> {
  const read = sources.map(async (source, i) => {
    if (typeof source !== 'string' && !(source instanceof URL))
      return [{ value: source, place: `crds[${i}]` }];
    return readPath(typeof source === 'string' ? source : fileURLToPath(source));
  });
  return (await Promise.all(read)).flat();
}

async function readPath(given: string): Promise<GivenDefinition[]> {
  const found = await stat(given).catch(() => undefined);
  if (found === undefined) throw notFound(`${given}: there is no such file or directory`);
  if (!found.isDirectory()) {
    const definitions = await readFileAt(given);
    if (definitions.length === 0) throw badRequest(`${given}: has no CustomResourceDefinition`);
    return definitions;
  }
  const names = (await readdir(given)).filter((name) => EXTENSIONS.has(path.extname(name))).sort();
  const all = await Promise.all(names.map((name) => readFileAt(path.join(given, name))));
  return all.flat();
}

async function readFileAt(file: string): Promise<GivenDefinition[]> {
  const text = await readFile(file).catch((error: unknown) => {
    throw badRequest(`${file}: cannot be read: ${getMessage(error)}`);
  });
  return parseYamlAll(text, { filename: file, maxAliases: 100 }).flatMap(({ value, line }) =>
    isDefinition(value) ? [{ value, place: `${file}:${line}` }] : [],
  );
}

function isDefinition(value: unknown): value is object {
  return isRecord(value) && value.kind === 'CustomResourceDefinition';
}
