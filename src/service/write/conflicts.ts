import { badRequest, conflict, formatExcerpt, invalid, ServiceError, type Cause } from '../../errors.js';
import { fullName } from '../../model/full-name.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { formatValue } from '../../model/validate/violation.js';
import type { ModelView } from '../read/view.js';
import type { DeleteOptions, WriteOptions } from '../verbs.js';
import { PENDING } from './change.js';
import type { CurrentObject } from './current-object.js';
import { getDetails, getSubject, objectNotFound } from '../object-errors.js';

/** @throws ServiceError `NotFound`, or `PreconditionFailed` when `ifMatch` has another revision */
export function checkExists(
  { resource }: ModelView,
  name: string,
  current: CurrentObject | undefined,
  { ifMatch }: WriteOptions,
): asserts current is CurrentObject {
  if (current === undefined) throw objectNotFound(resource, name);
  const { revision = PENDING } = current;
  if (ifMatch?.includes(String(revision)) !== false) return;
  throw new ServiceError(
    'PreconditionFailed',
    `${getSubject(resource, name)} is at resourceVersion ${revision}, not ${formatExcerpt(ifMatch.join(' or '))}`,
    getDetails(resource, name),
  );
}

/** The uid of another object that a body states. Models of plugins ignore it: the service sets it. */
function otherUid(
  { origin }: Resource,
  { metadata }: ExtensionObject,
  body: ObjectDraft,
): string | undefined {
  const uid: unknown = body.metadata?.uid ?? '';
  return origin === undefined || uid === '' || uid === metadata.uid ? undefined : formatValue(uid);
}

/** @throws ServiceError `Conflict` when the body is of an earlier object of the name */
export function checkUid(resource: Resource, old: ExtensionObject, body: ObjectDraft): void {
  const other = otherUid(resource, old, body);
  if (other === undefined) return;
  const name = fullName(resource, old.metadata);
  throw conflict(
    `${getSubject(resource, name)} is another object: Precondition failed: UID in precondition: ${other}, UID in object meta: "${old.metadata.uid}"`,
    getDetails(resource, name),
  );
}

/** @throws ServiceError `Invalid` for the result of a patch with another uid */
export function checkPatchedUid(resource: Resource, old: ExtensionObject, body: ObjectDraft): void {
  const other = otherUid(resource, old, body);
  if (other === undefined) return;
  const name = fullName(resource, old.metadata);
  const message = `must stay "${old.metadata.uid}", got ${other}`;
  const causes: Cause[] = [{ field: 'metadata.uid', reason: 'FieldValueInvalid', message }];
  throw invalid(getSubject(resource, name), causes, getDetails(resource, name));
}

/**
 * @throws ServiceError `Conflict` when the body states another version of the object, `BadRequest` when
 * the stated one is not a version
 */
export function checkLock(resource: Resource, old: ExtensionObject, body: ObjectDraft): void {
  const { version, resourceVersion } = (body.metadata ?? {}) as {
    version?: unknown;
    resourceVersion?: unknown;
  };
  const name = fullName(resource, old.metadata);
  const differs = (field: 'version' | 'resourceVersion', stated: unknown): void => {
    if (isUnstated(resource, stated) || stated === old.metadata[field]) return;
    const shown = formatValue(stated);
    const isVersion = field === 'version' ? Number.isInteger(stated) : typeof stated === 'string';
    if (!isVersion)
      throw badRequest(
        `metadata.${field} must be ${field === 'version' ? 'an integer' : 'a string'}, got ${shown}`,
        getDetails(resource, name),
      );
    throw conflict(
      `${getSubject(resource, name)} was changed: metadata.${field} is ${JSON.stringify(old.metadata[field])}, ` +
        `the request has ${shown}; read it again, or leave out metadata.${field} to write without the check`,
      getDetails(resource, name),
    );
  };
  if (resource.origin === undefined) differs('version', version);
  differs('resourceVersion', resourceVersion);
}

/** True for no value; clients in Go write an empty text for one. */
export function isUnstated({ origin }: Resource, stated: unknown): boolean {
  return stated === undefined || stated === null || (stated === '' && origin !== undefined);
}

/** @throws ServiceError `Conflict` when the object is not the one that the deletion requires */
export function checkPreconditions(
  { model: { resource }, metadata }: CurrentObject,
  { preconditions }: DeleteOptions,
): void {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const wanted = preconditions?.[field];
    if (wanted === undefined || wanted === metadata[field]) continue;
    const name = fullName(resource, metadata);
    throw conflict(
      `${getSubject(resource, name)} has ${field} ${metadata[field]}, the precondition requires ${formatExcerpt(wanted)}`,
      getDetails(resource, name),
    );
  }
}
