import { apiVersionOf, type Resource } from '../../model/resource.js';

const NOTHING: readonly string[] = [];

/** What who uses a version of a model is told, if people should leave it. */
export function deprecationOf(resource: Resource): readonly string[] {
  const { kind, deprecated } = resource;
  if (deprecated === undefined) return NOTHING;
  return [`${apiVersionOf(resource)} ${kind} is deprecated; ${deprecated}`];
}
