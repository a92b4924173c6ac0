import type { ObjectDraft } from '../../model/object.js';
import type { Verbs, WriteOptions } from '../../service/verbs.js';
import type { Manifest } from '../input/manifests.js';
import { isLost } from '../results.js';
import type { ApplyOutcome } from './execute.js';

/**
 * Applies each manifest by the service, which keeps the fields of each manager. Continues after a failure.
 * @throws ServiceError `ServiceUnavailable` when the service is gone
 */
export async function* applyServerSide(
  verbs: Verbs,
  manifests: readonly Manifest[],
  options: WriteOptions & { readonly fieldManager: string },
): AsyncGenerator<ApplyOutcome> {
  for (const manifest of manifests) {
    try {
      yield await applyOne(verbs, manifest, options);
    } catch (error) {
      if (isLost(error)) throw error;
      yield { manifest, error };
    }
  }
}

async function applyOne(verbs: Verbs, manifest: Manifest, options: WriteOptions): Promise<ApplyOutcome> {
  const { resource, name } = manifest;
  const [live] = await verbs.getMany(resource, [name]);
  const stated: ObjectDraft = { ...(manifest.value as object) };
  const { object, warnings } = await verbs.patch(resource, name, stated, 'apply', options);
  const isUnchanged = live?.metadata.resourceVersion === object.metadata.resourceVersion;
  const verb = live === undefined ? 'created' : isUnchanged ? 'unchanged' : 'configured';
  return { manifest, verb, warnings, live, object };
}
