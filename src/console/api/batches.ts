import type { JsonObject } from '../lib/json.js';
import { postJson } from './http.js';
import { getApiVersion, type Model } from './models.js';
import { MERGE_PATCH } from './objects.js';

const BATCH_URL = '/apis/api.platform.run/v1alpha1/batches?return=none';

interface Batch {
  readonly items: readonly JsonObject[];
  /** True when everything is decided as usual, and nothing is stored. */
  readonly isTrial: boolean;
}

/** Writes objects in one commit. Resolves with the answer of the service. */
export function sendBatch({ items, isTrial }: Batch, signal?: AbortSignal): Promise<unknown> {
  const url = isTrial ? `${BATCH_URL}&dryRun=All` : BATCH_URL;
  return postJson(url, { items }, signal);
}

/** The item of a batch that applies a merge patch (RFC 7396) to an object. */
export function patchItem(model: Model, name: string, patch: JsonObject): JsonObject {
  const { kind } = model;
  return { verb: 'patch', apiVersion: getApiVersion(model), kind, name, patch, contentType: MERGE_PATCH };
}
