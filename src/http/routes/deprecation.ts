import { getApiVersion, type Resource } from '../../model/resource.js';

const NOTHING: readonly string[] = [];

/** Warnings for requests with a deprecated version of a model. */
export function getDeprecation(resource: Resource): readonly string[] {
  const { kind, deprecated } = resource;
  if (deprecated === undefined) return NOTHING;
  return [`${getApiVersion(resource)} ${kind} is deprecated; ${deprecated}`];
}
