import type { Definition } from '../../kubernetes/crd/definition.js';
import { qualifiedPlural, type Resource } from '../../model/resource.js';
import { withBaseProperties } from '../../model/schema/base-schema.js';
import type { ResourceRef, Verbs } from '../../service/verbs.js';

const DEFINITIONS: ResourceRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
};

/** A resource with its schema. A store that is read without code has that of a defined kind in the definition alone. */
export async function withSchema(verbs: Pick<Verbs, 'get'>, resource: Resource): Promise<Resource> {
  if (resource.origin !== 'definition' || Object.keys(resource.schema).length > 0) return resource;
  const { spec = {} } = (await verbs.get(DEFINITIONS, qualifiedPlural(resource))) as Definition;
  const version = spec.versions?.find(({ name }) => name === resource.version);
  return { ...resource, schema: withBaseProperties(version?.schema?.openAPIV3Schema ?? { type: 'object' }) };
}
