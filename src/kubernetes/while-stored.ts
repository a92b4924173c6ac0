import { ServiceError } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { CheckedWrite } from '../owners/writer.js';
import type { Service } from '../service/service.js';
import { parseObject } from '../store/object-record.js';

/**
 * Lets writes happen only while an object is stored, so that they never reach what belongs to a later object of the same
 * name. Otherwise they are `PreconditionFailed`.
 */
export function whileStored(
  admit: CheckedWrite,
  service: Service,
  resource: Resource,
  { metadata: { name, uid } }: ExtensionObject,
): CheckedWrite {
  return (write) =>
    admit((admission) =>
      write((tx, changes) => {
        const table = service.models.table(resource);
        const own = changes.find((one) => one.table.modelId === table.modelId && one.name === name);
        const stored = own === undefined ? tx.find(table, name) : own.old;
        if (stored === undefined || parseObject(stored.bytes).metadata.uid !== uid)
          throw new ServiceError('PreconditionFailed', `the deleted ${resource.kind} "${name}" is gone`);
        admission?.(tx, changes);
      }),
    );
}
