import { getApiVersion, getPath, type Model } from '../../../api/models.js';
import { escapeFieldValue } from '../../../api/selectors.js';
import { readTable } from '../../../api/tables.js';
import { objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { t } from '../../../texts.js';
import { iterateParts } from '../bulk/names.js';
import { findName, type ImportProblem, type ReadObject, type ReadObjects } from './read-objects.js';

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

/** Decides which objects are created and which are updated. @throws ApiError, Unreachable */
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
  for (const one of own) {
    const name = findName(one);
    const isUpdate = name !== undefined && existing.has(name);
    if (isUpdate) updated++;
    const key = t`line ${String(one.line)}` + (name === undefined ? ` #${items.size + 1}` : ` ${name}`);
    items.set(key, isUpdate ? patchItem(model, name, one.object) : createItem(model, one.object));
  }
  return { items, updated, created: items.size - updated, problems };
}

/** Notes the line of a name. */
function findProblem(model: Model, one: ReadObject, lines: Map<string, number>): string | undefined {
  const { object, line } = one;
  const kind = textAt(object, 'kind');
  if (kind !== undefined && kind !== model.kind) return t`is a ${kind}, not a ${model.kind}`;
  const name = findName(one);
  const hasPrefix = textAt(objectAt(object, 'metadata'), 'generateName') !== undefined;
  if (name === undefined) return hasPrefix ? undefined : t`has no name`;
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
    const part = names.slice(at, at + NAMES_MAX);
    const request = new URLSearchParams({
      fieldSelector: `metadata.name in (${part.map(escapeFieldValue).join(',')})`,
      limit: String(NAMES_MAX),
    });
    const { rows } = await readTable(getPath(model), request, signal);
    for (const { object } of rows) found.add(object.metadata.name);
  }
  return found;
}

function createItem(model: Model, object: JsonObject): JsonObject {
  const { status: _status, ...rest } = object;
  return {
    verb: 'create',
    object: { ...rest, apiVersion: getApiVersion(model), kind: model.kind, metadata: getMetadata(object) },
  };
}

/** Members that the file does not have stay as they are. */
function patchItem(model: Model, name: string, object: JsonObject): JsonObject {
  const { apiVersion: _a, kind: _k, status: _s, metadata: _m, ...rest } = object;
  const { name: _name, generateName: _prefix, ...metadata } = getMetadata(object);
  return {
    verb: 'patch',
    apiVersion: getApiVersion(model),
    kind: model.kind,
    name,
    patch: { ...rest, metadata },
    contentType: 'application/merge-patch+json',
  };
}

function getMetadata(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => OF_METADATA.includes(key)));
}

/** The keys of the writes, part by part. */
export function getParts({ items }: Prepared): Generator<readonly string[]> {
  return iterateParts([...items.keys()]);
}
