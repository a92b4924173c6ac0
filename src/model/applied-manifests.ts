import { parseJson } from '../lib/json/json.js';
import type { JsonObject } from './object.js';
import { isJsonObject } from './schema/schema-walk.js';

/** Annotation with the text of the manifest that `xsvc apply` applied last. */
export const LAST_APPLIED = 'xsvc.platform.run/last-applied';

/** Annotation with the text of the manifest that `kubectl apply` without `--server-side` applied last. */
export const KUBECTL_LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations that contain a whole manifest as JSON. */
export const APPLIED_MANIFESTS = [LAST_APPLIED, KUBECTL_LAST_APPLIED] as const;

/** A manifest in an annotation; undefined for a text that is no object, because anyone may write annotations. */
export function readManifest(text: unknown): JsonObject | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
