import { stringify } from 'yaml';
import { getJson } from '../../api/http.js';
import { apiVersionOf, pathOf, type ModelRef } from '../../api/models.js';
import { objectAt } from '../../lib/json.js';

/** An object to begin with, as YAML: the example of the model's description. @throws ApiError, Unreachable */
export async function readExample(model: ModelRef, signal: AbortSignal): Promise<string> {
  const root = model.group === '' ? 'api' : 'apis';
  const description = await getJson(`/openapi/v3/${root}/${apiVersionOf(model)}`, signal);
  const post = objectAt(objectAt(objectAt(description, 'paths'), pathOf(model)), 'post');
  const body = objectAt(objectAt(objectAt(post, 'requestBody'), 'content'), 'application/json');
  const { kind, metadata = { name: '' }, ...rest } = objectAt(body, 'example');
  return stringify({ apiVersion: apiVersionOf(model), kind, metadata, ...rest }, { lineWidth: 0 });
}
