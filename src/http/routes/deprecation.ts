import { getApiVersion, type Resource } from '../../model/resource.js';

const NOTHING: readonly string[] = [];

/** What who uses a version of a model is told, if people should leave it. */
export function getDeprecation(resource: Resource): readonly string[] {
  const { kind, deprecated } = resource;
  if (deprecated === undefined) return NOTHING;
  return [`${getApiVersion(resource)} ${kind} is deprecated; ${deprecated}`];
}
