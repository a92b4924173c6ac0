import type { JsonObject } from '../object.js';
import { checkedMetadataSchema } from '../schema/base-schema.js';
import { isJsonObject } from '../schema/schema-walk.js';
import { SchemaNode } from './node.js';

/** Members that only Kubernetes' objects have. */
const FURTHER: JsonObject = {
  namespace: { type: 'string' },
  selfLink: {},
  deletionGracePeriodSeconds: {},
  managedFields: { 'x-kubernetes-preserve-unknown-fields': true },
};
/** Only objects of models without structural schemas have it. */
const FOREIGN = 'version';
/** Only objects of this service have it: its answers have it at the root. */
const OWN = 'updateTimestamp';

function makeNode(isRoot: boolean): SchemaNode {
  const schema = checkedMetadataSchema();
  const known = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const members = known.filter(([name]) => name !== FOREIGN && (isRoot || name !== OWN));
  return new SchemaNode({ ...schema, properties: { ...Object.fromEntries(members), ...FURTHER } });
}

export const METADATA = makeNode(true);
/** The metadata of a resource inside an object. */
export const EMBEDDED_METADATA = makeNode(false);
