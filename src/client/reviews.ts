import { isRecord } from '../lib/json/json.js';
import type { JsonObject } from '../model/object.js';
import { RemoteTransport } from './remote-transport.js';
import type { RemoteOptions } from './transport.js';
import { isJsonObject } from '../model/schema/schema-walk.js';

/** The user of a token, as a service sees it. */
export interface WhoAmI {
  readonly username: string;
  /** The answer of the service, a `SelfSubjectReview` of Kubernetes. */
  readonly review: JsonObject;
}

/** An action on a model, or on one object, that a user may have the right to. */
export interface ReviewedAction {
  readonly verb: string;
  readonly group: string;
  /** Plural. */
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
}

/**
 * The user of the token. Without a token only a service that asks for none answers.
 * @throws ServiceError the server's error, or `ServiceUnavailable`
 */
export async function whoAmI(url: string, options?: RemoteOptions): Promise<WhoAmI> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const transport = new RemoteTransport(url, options);
  const review = await post(transport, path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
  const { status } = review;
  const info = isRecord(status) && isRecord(status.userInfo) ? status.userInfo : {};
  if (typeof info.username !== 'string') throw transport.malformed('not a review of a user');
  return { username: info.username, review };
}

/**
 * True when the user of the token may do something.
 * @throws ServiceError the server's error, or `ServiceUnavailable`
 */
export async function canI(url: string, action: ReviewedAction, options?: RemoteOptions): Promise<boolean> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const transport = new RemoteTransport(url, options);
  const { status } = await post(transport, path, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: action },
  });
  if (!isRecord(status) || typeof status.allowed !== 'boolean')
    throw transport.malformed('not a review of a right');
  return status.allowed;
}

async function post(transport: RemoteTransport, path: string, body: object): Promise<JsonObject> {
  const answer = await transport.request(path, { method: 'POST', body });
  if (!isJsonObject(answer.body)) throw transport.malformed('not a review');
  return answer.body;
}
