import { getApiVersion, type Model } from '../../../api/models.js';
import type { JsonObject } from '../../../lib/json.js';

/** Returns the item of a batch that applies a merge patch (RFC 7396) to an object of a model, by its name. */
export function getPatchItem(model: Model, patch: JsonObject): (name: string) => JsonObject {
  const { kind } = model;
  const apiVersion = getApiVersion(model);
  const contentType = 'application/merge-patch+json';
  return (name) => ({ verb: 'patch', apiVersion, kind, name, patch, contentType });
}
