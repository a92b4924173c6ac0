/** Exports of `xsvc/client`: the client for programs, in browsers and in Node.js. It needs only `fetch`. */
import { isRecord } from '../../lib/json/json.js';
import { ModelClient, writeQuery } from './model-client.js';
import { Transport } from '../transport.js';
import { ApiError } from './api-error.js';
import type { ApiObject, BatchResponse, BatchRequest, ClientOptions, WriteParameters } from './types.js';

export type { Cause, ErrorDetails } from '../../errors.js';
export { ApiError } from './api-error.js';
export type { LiveList } from './live.js';
export type { ModelClient } from './model-client.js';
export type {
  ApiObject,
  BatchResponse,
  BatchRequest,
  CallOptions,
  ClientOptions,
  DeleteParameters,
  Draft,
  DraftMetadata,
  Expanded,
  GetParameters,
  ListAllParameters,
  ListParameters,
  ModelEvent,
  ModelWatch,
  ObjectPage,
  PatchParameters,
  ReplaceParameters,
  WatchParameters,
  WriteParameters,
} from './types.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';

/** The client of one service. */
export interface ServiceClient {
  /**
   * The objects of a model. It is looked up with the first request.
   * @param name `<plural>.<group>`, or `<plural>.<version>.<group>`; without a version the preferred one
   * @param options the namespace of all calls, for a namespaced model
   */
  model<T extends object = ApiObject>(
    name: string,
    options?: { readonly namespace?: string },
  ): ModelClient<T>;
  /**
   * Writes all items, of any models, in one commit, or none.
   * @throws ApiError the failure of one item; `details.causes` names its place as `items[<number>]`
   */
  batch(items: readonly BatchRequest[], options?: Omit<WriteParameters, 'namespace'>): Promise<BatchResponse>;
}

/**
 * A client of a service.
 * @throws ApiError `BadRequest` when the server is not an HTTP URL
 */
export function createClient({ server, token, onWarning }: ClientOptions): ServiceClient {
  const transport = new Transport(server, {
    token,
    onWarning,
    toError: (failure, status) => new ApiError(status, failure),
  });
  return {
    model: (name, { namespace } = {}) => new ModelClient({ transport, onWarning }, name, namespace),
    async batch(items, { signal, ...parameters } = {}) {
      const query = writeQuery(parameters);
      const { body } = await transport.request(BATCHES, { method: 'POST', query, body: { items }, signal });
      if (isBatchResponse(body)) return body;
      throw transport.malformed('not the answer to a batch');
    },
  };
}

function isBatchResponse(value: unknown): value is BatchResponse {
  return isRecord(value) && Array.isArray(value.items) && isRecord(value.metadata);
}
