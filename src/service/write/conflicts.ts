import { conflict, formatExcerpt, ServiceError } from '../../errors.js';
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

/** @throws ServiceError `Conflict` when the body states another version of the object */
export function checkLock(resource: Resource, old: ExtensionObject, body: ObjectDraft): void {
  const { version, resourceVersion } = (body.metadata ?? {}) as {
    version?: unknown;
    resourceVersion?: unknown;
  };
  const { name } = old.metadata;
  const differs = (field: 'version' | 'resourceVersion', stated: unknown): void => {
    if (stated === undefined || stated === null || stated === old.metadata[field]) return;
    const shown = formatValue(stated);
    throw conflict(
      `${getSubject(resource, name)} was changed: metadata.${field} is ${JSON.stringify(old.metadata[field])}, ` +
        `the request has ${shown}; read it again, or leave out metadata.${field} to write without the check`,
      getDetails(resource, name),
    );
  };
  differs('version', version);
  differs('resourceVersion', resourceVersion);
}

/** @throws ServiceError `Conflict` when the object is not the one that the deletion requires */
export function checkPreconditions(
  { model: { resource }, metadata }: CurrentObject,
  { preconditions }: DeleteOptions,
): void {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const wanted = preconditions?.[field];
    if (wanted === undefined || wanted === metadata[field]) continue;
    const { name } = metadata;
    throw conflict(
      `${getSubject(resource, name)} has ${field} ${metadata[field]}, the precondition requires ${formatExcerpt(wanted)}`,
      getDetails(resource, name),
    );
  }
}
