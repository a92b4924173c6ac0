import { isRecord } from '../lib/json/json.js';
import { APPLIED_MANIFESTS, readManifest } from '../model/applied-manifests.js';
import type { ObjectDraft } from '../model/object.js';

/** The value of each header in reads. In a write it stands for the stored value. */
export const HIDDEN = '***';

/** Removes the secret and the values of the headers from a webhook and its annotations, in place. */
export function withoutSecrets({ spec, metadata }: ObjectDraft): void {
  hide(spec);
  const annotations = metadata?.annotations;
  if (annotations === undefined) return;
  for (const key of APPLIED_MANIFESTS) {
    const text = annotations[key];
    if (text === undefined) continue;
    const manifest = readManifest(text);
    if (!isRecord(manifest?.spec)) delete annotations[key];
    else if (hide(manifest.spec)) annotations[key] = JSON.stringify(manifest);
  }
}

/** @returns true when something was hidden */
function hide(spec: unknown): boolean {
  if (!isRecord(spec)) return false;
  const { headers } = spec;
  const hasHeaders = isRecord(headers);
  const isChanged = 'secret' in spec || hasHeaders;
  delete spec.secret;
  if (hasHeaders) spec.headers = Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
  return isChanged;
}
