import { patchItem } from '../../../api/batches.js';
import { getApiVersion, getPath, type Model } from '../../../api/models.js';
import { escapeFieldValue } from '../../../api/selectors.js';
import { readTable } from '../../../api/tables.js';
import { objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import type { ImportProblem, ReadObject, ReadObjects } from './read-objects.js';

/** The writes of an import, by the line of the file. */
export interface Prepared {
  readonly items: ReadonlyMap<string, JsonObject>;
  readonly created: number;
  readonly updated: number;
  readonly problems: readonly ImportProblem[];
}

/** The limit of names in one request, because they are part of its URL. */
const NAMES_MAX = 50;
/** Fields of metadata that people write. */
const OF_METADATA = ['name', 'generateName', 'labels', 'annotations', 'finalizers'];

/** Decides which objects are created and which are updated. */
export async function prepare(model: Model, read: ReadObjects, signal: AbortSignal): Promise<Prepared> {
  const problems = [...read.problems];
  const lines = new Map<string, number>();
  const own: ReadObject[] = [];
  for (const one of read.objects) {
    const problem = findProblem(model, one, lines);
    if (problem === undefined) own.push(one);
    else problems.push({ line: one.line, message: problem });
  }
  const existing = await readExisting(model, [...lines.keys()], signal);
  const items = new Map<string, JsonObject>();
  let updated = 0;
  for (const { line, object } of own) {
    const name = textAt(objectAt(object, 'metadata'), 'name');
    const isUpdate = name !== undefined && existing.has(name);
    if (isUpdate) updated++;
    const key = t`line ${String(line)}` + (name === undefined ? ` #${items.size + 1}` : ` ${name}`);
    items.set(key, getItem(model, object, isUpdate ? name : undefined));
  }
  return { items, updated, created: items.size - updated, problems };
}

/** Notes the line of a name. */
function findProblem(
  model: Model,
  { object, line }: ReadObject,
  lines: Map<string, number>,
): string | undefined {
  const kind = textAt(object, 'kind');
  if (kind !== undefined && kind !== model.kind) return t`is a ${kind}, not a ${model.kind}`;
  const metadata = objectAt(object, 'metadata');
  // Without a name, the service generates it.
  const name = textAt(metadata, 'name');
  if (name === undefined) return textAt(metadata, 'generateName') === undefined ? t`has no name` : undefined;
  const before = lines.get(name);
  if (before !== undefined) return t`“${name}” is in line ${String(before)} already`;
  lines.set(name, line);
  return undefined;
}

async function readExisting(
  model: Model,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < names.length; at += NAMES_MAX) {
    const part = names.slice(at, at + NAMES_MAX).map(escapeFieldValue);
    const request = { fieldSelector: `metadata.name in (${part.join(',')})`, limit: String(NAMES_MAX) };
    const { rows } = await readTable(getPath(model), new URLSearchParams(request), signal);
    for (const { object } of rows) found.add(object.metadata.name);
  }
  return found;
}

/** The write of an object. Members of an existing one that the file does not have stay as they are. */
function getItem(model: Model, object: JsonObject, existing: string | undefined): JsonObject {
  const { apiVersion: _version, kind: _kind, status: _status, ...rest } = object;
  const given = Object.entries(objectAt(object, 'metadata')).filter(([key]) => OF_METADATA.includes(key));
  const metadata = Object.fromEntries(given);
  if (existing === undefined)
    return {
      verb: 'create',
      object: { ...rest, apiVersion: getApiVersion(model), kind: model.kind, metadata },
    };
  const { name: _name, generateName: _prefix, ...changed } = metadata;
  return patchItem(model, existing, { ...rest, metadata: changed });
}
