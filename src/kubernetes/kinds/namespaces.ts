import { hasCode, ServiceError } from '../../errors.js';
import { parseObject } from '../../store/object-record.js';
import type { Metadata } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { InsertCheck } from '../../service/inserts.js';
import { getDetails, objectNotFound } from '../../service/object-errors.js';
import type { Service } from '../../service/service.js';
import { SYSTEM_NAMESPACES } from './namespace.js';

export interface NamespaceKinds {
  readonly namespaces: Resource;
  readonly serviceAccounts: Resource;
}

/** Creates the system's namespaces that are missing, and lets objects be created in existing namespaces alone. */
export async function openNamespaces(
  service: Service,
  { namespaces, serviceAccounts }: NamespaceKinds,
): Promise<void> {
  service.beforeInsert(namespaceCheck(service, namespaces));
  service.createWith(namespaces, ({ name: namespace }) => ({
    resource: serviceAccounts,
    object: { metadata: { namespace, name: 'default' } },
  }));
  const found = await service.getMany(namespaces, SYSTEM_NAMESPACES);
  const missing = SYSTEM_NAMESPACES.filter((_name, i) => found[i] === undefined);
  if (missing.length === 0) return;
  try {
    await service.batch(
      missing.map((name) => ({ verb: 'create', resource: namespaces, object: { metadata: { name } } })),
    );
  } catch (error) {
    // Another process that starts has created them.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

function namespaceCheck(service: Service, namespaces: Resource): InsertCheck {
  return (tx, { resource }, { namespace = '', name }: Metadata) => {
    const stored = tx.find(service.models.table(namespaces), namespace);
    if (stored === undefined) throw objectNotFound(namespaces, namespace);
    if (parseObject(stored.bytes).metadata.deletionTimestamp === undefined) return;
    const message = `the namespace "${namespace}" is being deleted: no objects can be created in it`;
    throw new ServiceError('Forbidden', message, {
      ...getDetails(resource, name),
      causes: [{ field: 'metadata.namespace', reason: 'NamespaceTerminating', message }],
    });
  };
}
