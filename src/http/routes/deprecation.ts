import { getApiVersion, type Resource } from '../../model/resource.js';

const NOTHING: readonly string[] = [];

/** Warnings for requests with a deprecated version of a model. */
export function getDeprecation(resource: Resource): readonly string[] {
  const { kind, deprecated, origin } = resource;
  if (deprecated === undefined) return NOTHING;
  if (origin === 'definition') return [deprecated];
  return [`${getApiVersion(resource)} ${kind} is deprecated; ${deprecated}`];
}
