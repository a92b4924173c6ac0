import type { Definition } from '../../kubernetes/crd/definition.js';
import type { JsonObject } from '../../model/object.js';
import { getApiVersion, qualifiedPlural, type Resource } from '../../model/resource.js';
import { withBaseProperties } from '../../model/schema/base-schema.js';
import type { ResourceRef, Verbs } from '../../service/verbs.js';

const DEFINITIONS: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
};

/**
 * A resource with its schema. A store that is read without code has that of a defined kind in the definition alone, and that of an
 * inert kind not at all: it is part of the program.
 */
export async function withSchema(verbs: Pick<Verbs, 'get'>, resource: Resource): Promise<Resource> {
  if (Object.keys(resource.schema).length > 0) return resource;
  if (resource.isInert === true) return { ...resource, schema: await inertSchema(resource) };
  if (resource.origin !== 'definition') return resource;
  const { spec = {} } = (await verbs.get(DEFINITIONS, qualifiedPlural(resource))) as Definition;
  const version = spec.versions?.find(({ name }) => name === resource.version);
  return { ...resource, schema: withBaseProperties(version?.schema?.openAPIV3Schema ?? { type: 'object' }) };
}

async function inertSchema(resource: Resource): Promise<JsonObject> {
  const [{ messageOf }, { schemaOfMessage }] = await Promise.all([
    import('../../kubernetes/bodies.js'),
    import('../../kubernetes/schema.js'),
  ]);
  const message = messageOf(getApiVersion(resource), resource.kind);
  return withBaseProperties(message === undefined ? { type: 'object' } : schemaOfMessage(message));
}
