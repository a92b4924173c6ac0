import { getJson } from '../../api/http.js';
import { getApiVersion, getPath, type ModelRef } from '../../api/models.js';
import { objectAt, type JsonObject } from '../../lib/json.js';

/** The example in the model's description, without its identity. @throws ApiError, Unreachable */
export async function readExample(model: ModelRef, signal: AbortSignal): Promise<JsonObject> {
  const root = model.group === '' ? 'api' : 'apis';
  const description = await getJson(`/openapi/v3/${root}/${getApiVersion(model)}`, signal);
  const post = objectAt(objectAt(objectAt(description, 'paths'), getPath(model)), 'post');
  const body = objectAt(objectAt(objectAt(post, 'requestBody'), 'content'), 'application/json');
  const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = objectAt(body, 'example');
  return rest;
}
