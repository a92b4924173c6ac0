import { formatExcerpt, invalid, notFound, type Cause, type ServiceError } from '../errors.js';
import { fullName, splitFullName } from '../model/full-name.js';
import type { ObjectDraft } from '../model/object.js';
import { qualifiedPlural, type Resource } from '../model/resource.js';

/**
 * The object of a write in messages: `Person "ann"`.
 * @param name the full name
 */
export function getSubject(resource: Resource, name: string | undefined): string {
  return name === undefined ? resource.kind : `${resource.kind} "${formatExcerpt(name)}"`;
}

/**
 * The details of errors about an object, in addition to their message.
 * @param name the full name
 */
export function getDetails(
  resource: Resource,
  name: string | undefined,
): { group: string; kind: string; name?: string } {
  const { group, kind } = resource;
  return name === undefined ? { group, kind } : { group, kind, name: splitFullName(name, resource).name };
}

/** The error for an object of a request, whose name was not checked. */
export function invalidObject(
  resource: Resource,
  { metadata }: ObjectDraft,
  causes: readonly Cause[],
): ServiceError {
  const name = typeof metadata?.name === 'string' ? metadata.name : undefined;
  const details = getDetails(resource, name === undefined ? undefined : fullName(resource, { name }));
  return invalid(getSubject(resource, name), causes, details);
}

/** @param name the full name */
export function objectNotFound(resource: Resource, name: string): ServiceError {
  const what = qualifiedPlural(resource);
  return notFound(`${what} "${formatExcerpt(name)}" not found`, getDetails(resource, name));
}
