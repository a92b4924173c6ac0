import { cloneJson, deepEqual, setOwn } from '../../../lib/json/json.js';
import { LAST_APPLIED, readManifest } from '../../../model/applied-manifests.js';
import type { Json, JsonObject } from '../../../model/object.js';
import { isJsonObject } from '../../../model/schema/schema-walk.js';

const SYSTEM_FIELDS = ['uid', 'generation', 'creationTimestamp', 'updateTimestamp', 'deletionTimestamp'];
const LOCK_FIELDS = ['version', 'resourceVersion'];
/** Fields that identify the object cannot be removed by omission. */
const IDENTITY_FIELDS = ['name', 'generateName'];

/**
 * The merge patch (RFC 7396) that brings the live object to the state in the manifest; `{}` when it is already there.
 * Fields that the last applied manifest had and this one does not are removed. Fields that others set stay, lists are
 * replaced whole, an explicit null removes. System metadata of the manifest is ignored. A stated `metadata.version`
 * or `resourceVersion` is sent as the lock when anything changes or when it is stale. Status is unchanged unless the
 * manifest states it.
 * @param last the manifest last applied, as {@link lastApplied} returns it; undefined when none was applied
 */
export function threeWayPatch(
  last: JsonObject | undefined,
  manifest: JsonObject,
  live: JsonObject,
): JsonObject {
  const patch = difference(
    recordable(last ?? {}),
    withoutMetadata(manifest, [...SYSTEM_FIELDS, ...LOCK_FIELDS]),
    live,
  );
  const locks = getLocks(manifest, live, Object.keys(patch).length > 0);
  if (Object.keys(locks).length === 0) return patch;
  return { ...patch, metadata: { ...(asObject(patch.metadata) ?? {}), ...locks } };
}

/**
 * The manifest with the annotation that records it. The record's text does not depend on the order of members. It
 * omits the annotation itself and everything that {@link threeWayPatch} never removes: system metadata, locks and
 * status.
 */
export function withLastApplied(manifest: JsonObject): JsonObject {
  const metadata = asObject(manifest.metadata) ?? {};
  const annotations = { ...(asObject(metadata.annotations) ?? {}) };
  annotations[LAST_APPLIED] = JSON.stringify(sorted(recordable(manifest)));
  return cloneJson({ ...manifest, metadata: { ...metadata, annotations } });
}

/** The manifest last applied to a live object; undefined when none is recorded or the record is unreadable. */
export function lastApplied(live: JsonObject): JsonObject | undefined {
  // Without a record nothing is removed, which is safe.
  return readManifest(asObject(asObject(live.metadata)?.annotations)?.[LAST_APPLIED]);
}

function recordable(manifest: JsonObject): JsonObject {
  const { status: _status, ...rest } = withoutMetadata(manifest, [...SYSTEM_FIELDS, ...LOCK_FIELDS]);
  const metadata = asObject(rest.metadata);
  const annotations = asObject(metadata?.annotations);
  if (metadata === undefined || annotations === undefined || !Object.hasOwn(annotations, LAST_APPLIED))
    return rest;
  const kept = without(annotations, [LAST_APPLIED]);
  const others = without(metadata, ['annotations']);
  const isEmpty = Object.keys(kept).length === 0;
  return { ...rest, metadata: isEmpty ? others : { ...others, annotations: kept } };
}

function withoutMetadata(object: JsonObject, fields: readonly string[]): JsonObject {
  const metadata = asObject(object.metadata);
  return metadata === undefined ? object : { ...object, metadata: without(metadata, fields) };
}

function getLocks(manifest: JsonObject, live: JsonObject, isChanging: boolean): JsonObject {
  const stated = asObject(manifest.metadata) ?? {};
  const current = asObject(live.metadata) ?? {};
  const locks: JsonObject = {};
  for (const field of LOCK_FIELDS) {
    const lock = stated[field] ?? null;
    if (lock !== null && (isChanging || lock !== current[field])) locks[field] = lock;
  }
  return locks;
}

/** The top level: identifying fields stay, and `metadata` itself is never removed. */
function difference(last: JsonObject, manifest: JsonObject, live: JsonObject): JsonObject {
  const before = without(last, ['apiVersion', 'kind', 'metadata']);
  const metadataBefore = without(asObject(last.metadata) ?? {}, IDENTITY_FIELDS);
  const metadata = changes(metadataBefore, asObject(manifest.metadata) ?? {}, asObject(live.metadata) ?? {});
  const patch = changes(before, without(manifest, ['metadata']), live);
  return Object.keys(metadata).length === 0 ? patch : { ...patch, metadata };
}

function changes(last: JsonObject, manifest: JsonObject, live: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(last)) {
    if (own(manifest, key) !== undefined) continue;
    const removal = findRemoval(own(last, key) ?? null, own(live, key));
    if (removal !== undefined) setOwn(patch, key, removal);
  }
  for (const key of Object.keys(manifest)) {
    const wanted = own(manifest, key);
    if (wanted === undefined) continue;
    const change = findChange(own(last, key), wanted, own(live, key));
    if (change !== undefined) setOwn(patch, key, change);
  }
  return patch;
}

/** Reverts an earlier apply: in an object only the fields that it set, because others may have added fields. */
function findRemoval(last: Json, live: Json | undefined): Json | undefined {
  if (last === null || live === undefined) return undefined;
  const before = asObject(last);
  const current = asObject(live);
  if (before === undefined || current === undefined) return null;
  const patch = changes(before, {}, current);
  const left = Object.keys(current).filter((key) => current[key] !== undefined && own(patch, key) !== null);
  if (left.length === 0) return null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function findChange(last: Json | undefined, wanted: Json, live: Json | undefined): Json | undefined {
  if (wanted === null) return live === undefined ? undefined : null;
  const stated = asObject(wanted);
  if (stated === undefined) return deepEqual(wanted, live) ? undefined : cloneJson(wanted);
  const current = asObject(live);
  if (current === undefined) return withoutNulls(stated);
  const patch = changes(asObject(last) ?? {}, stated, current);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The result of a merge patch on an absent value. */
function withoutNulls(object: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = own(object, key) ?? null;
    const members = asObject(value);
    if (value !== null) setOwn(result, key, members === undefined ? cloneJson(value) : withoutNulls(members));
  }
  return result;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  const object = asObject(value);
  if (object === undefined) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member !== undefined) setOwn(result, key, sorted(member));
  }
  return result;
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function asObject(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
