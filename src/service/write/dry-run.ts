import { RawWriteResult } from './result.js';
import { NO_REVISION, type Prepared } from './prepare.js';

/**
 * The result of a write that was not stored. As in Kubernetes, objects of its rules have the `resourceVersion` that is stored, and
 * none before they exist; those of plugins have the one that the write would get.
 */
export function asNotStored(result: RawWriteResult, prepared: Prepared | undefined): RawWriteResult {
  if (prepared?.change === undefined || prepared.model.resource.origin === undefined) return result;
  if (result.effect === 'none') return result;
  const { resourceVersion: _, ...metadata } = result.object.metadata;
  const { basedOn } = prepared;
  const stored = basedOn === undefined || basedOn === NO_REVISION ? {} : { resourceVersion: String(basedOn) };
  const json = Buffer.from(JSON.stringify({ ...result.object, metadata: { ...metadata, ...stored } }));
  return new RawWriteResult(json, result.metadata, result.effect, result.warnings);
}
