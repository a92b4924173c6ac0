import { conflict, excerpt, notFound, ServiceError } from '../errors.js';
import { cloneJson, deepEqual, setOwn } from '../lib/json.js';
import type { ExtensionObject, Metadata, ObjectDraft } from '../model/object.js';
import { briefValue } from '../model/violation.js';
import type { Table } from '../store/table.js';
import { parseObject, type StoredObject, type StoreTransaction } from '../store/transaction.js';
import {
  assemble,
  checkIdentity,
  detailsOf,
  statedMetadata,
  subjectOf,
  validateObject,
  type ValidateOptions,
} from './draft.js';
import type { Subresource, WriteOptions, WriteResult } from './verbs.js';

/** The stored object a write is about, in both forms. */
export interface Found {
  readonly stored: StoredObject;
  readonly object: ExtensionObject;
}

/** @throws ServiceError `NotFound`, or `PreconditionFailed` when `ifMatch` is another revision */
export function getForWrite(tx: StoreTransaction, table: Table, name: string, options: WriteOptions): Found {
  const stored = tx.find(table, name);
  if (stored === undefined) throw objectNotFound(table, name);
  if (options.ifMatch?.includes(String(stored.revision)) === false) {
    throw new ServiceError(
      'PreconditionFailed',
      `${subjectOf(table.resource, name)} is at resourceVersion ${stored.revision}, ` +
        `not ${excerpt(options.ifMatch.join(' or '))}`,
      detailsOf(table.resource, name),
    );
  }
  return { stored, object: parseObject(stored.bytes) };
}

export function objectNotFound(table: Table, name: string): ServiceError {
  const { plural, group } = table.resource;
  const what = group === '' ? plural : `${plural}.${group}`;
  return notFound(`${what} "${excerpt(name)}" not found`, detailsOf(table.resource, name));
}

/**
 * Replaces an object by what the body states. What the service sets stays; so does a status that the body
 * does not mention. A body that changes nothing stores nothing.
 * @throws ServiceError `NotFound`, `BadRequest`, `Conflict`, `PreconditionFailed`, `Invalid`, `AlreadyExists`
 */
export function updateIn(
  tx: StoreTransaction,
  table: Table,
  name: string,
  body: unknown,
  options: WriteOptions,
  subresource: Subresource,
): WriteResult {
  return storeNext(tx, table, getForWrite(tx, table, name, options), body, options, subresource);
}

/** The second half of every update: from the stored object and the wanted one to the next stored one. */
export function storeNext(
  tx: StoreTransaction,
  table: Table,
  found: Found,
  body: unknown,
  options: ValidateOptions,
  subresource: Subresource,
): WriteResult {
  const old = found.object;
  checkIdentity(table.resource, body, old.metadata.name);
  checkLock(table, old, body);
  const next = subresource === 'status' ? withStatus(old, body) : nextObject(table, old, body);
  const warnings = validateObject(table, next, { ...options, within: subresource }, old);
  // Defaults that a newer schema has for other parts are for a write of those parts.
  if (subresource === 'status') restoreAllBut('status', next, old);
  if (sameContent(old, next)) return { object: old, changed: false, warnings };

  next.metadata.version = old.metadata.version + 1;
  next.metadata.resourceVersion = String(tx.nextRevision);
  if (!sameDesire(old, next)) next.metadata.generation = old.metadata.generation + 1;
  if (isReclaimable(next)) tx.remove(table, found.stored, next);
  else tx.replace(table, found.stored, next);
  return { object: next, changed: true, warnings };
}

/** Declared deleted, and nobody holds it any more. */
export function isReclaimable(object: ExtensionObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
}

function checkLock(table: Table, old: ExtensionObject, body: ObjectDraft): void {
  const { version, resourceVersion } = (body.metadata ?? {}) as {
    version?: unknown;
    resourceVersion?: unknown;
  };
  const { name } = old.metadata;
  const differs = (field: 'version' | 'resourceVersion', stated: unknown): void => {
    if (stated === undefined || stated === null || stated === old.metadata[field]) return;
    const shown = briefValue(stated);
    throw conflict(
      `${subjectOf(table.resource, name)} was changed: metadata.${field} is ${JSON.stringify(old.metadata[field])}, ` +
        `the request says ${shown}; read it again, or leave metadata.${field} out to write without the check`,
      detailsOf(table.resource, name),
    );
  };
  differs('version', version);
  differs('resourceVersion', resourceVersion);
}

function nextObject(table: Table, old: ExtensionObject, body: ObjectDraft): ExtensionObject {
  const draft = cloneJson(body);
  const metadata: Metadata = { ...statedMetadata(draft), ...systemMetadata(old.metadata) };
  const next = assemble(table.resource, metadata, draft);
  if (!('status' in draft) && 'status' in old) next.status = cloneJson(old.status);
  return next;
}

function systemMetadata(old: Metadata): Metadata {
  const {
    name,
    uid,
    generation,
    version,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    generateName,
  } = old;
  return {
    name,
    uid,
    generation,
    version,
    resourceVersion,
    creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(generateName === undefined ? {} : { generateName }),
  };
}

function withStatus(old: ExtensionObject, body: ObjectDraft): ExtensionObject {
  const next = cloneJson(old);
  if (body.status === undefined) delete next.status;
  else next.status = cloneJson(body.status);
  return next;
}

function restoreAllBut(part: string, next: ExtensionObject, old: ExtensionObject): void {
  for (const field of Object.keys(next)) if (field !== part && !(field in old)) delete next[field];
  for (const [field, value] of Object.entries(old)) if (field !== part) setOwn(next, field, cloneJson(value));
}

function sameContent(old: ExtensionObject, next: ExtensionObject): boolean {
  return deepEqual(old, next);
}

/** Whether all but metadata and status are the same: what `generation` counts. */
function sameDesire(old: ExtensionObject, next: ExtensionObject): boolean {
  const { metadata: _m, status: _s, ...oldRest } = old;
  const { metadata: _n, status: _t, ...nextRest } = next;
  return deepEqual(oldRest, nextRest);
}
