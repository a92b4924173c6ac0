import type { BatchItem, Verbs, WriteOptions, WriteResult } from '../service/verbs.js';

/** Makes one write of a batch by itself. */
export function writeItem(verbs: Verbs, item: BatchItem, options: WriteOptions): Promise<WriteResult> {
  switch (item.verb) {
    case 'create':
      return verbs.create(item.resource, asDraft(item.object), options);
    case 'update':
      return verbs.update(item.resource, item.name, asDraft(item.object), options);
    case 'patch':
      return verbs.patch(item.resource, item.name, item.patch, item.type, options);
    case 'delete':
      return verbs.delete(item.resource, item.name, options);
  }
}

function asDraft(object: unknown): Record<string, unknown> {
  return typeof object === 'object' && object !== null ? { ...object } : {};
}
