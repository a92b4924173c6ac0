import type { Request } from 'express';
import type { Identity } from '../../access/identity/identity.js';
import { groupsOf } from '../../access/policy.js';
import { accountOf } from '../../access/rbac/account-user.js';
import { ALL_RULES, type Action } from '../../access/rules.js';
import { invalid, type Cause } from '../../errors.js';
import { isRecord, textOf } from '../../lib/json/json.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { getApiVersion, type GroupVersionKind, type Resource } from '../../model/resource.js';
import { ANONYMOUS } from '../../model/system-users.js';
import { parseBody } from '../body/body.js';
import { sendValue } from '../answer/respond.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';
import type { Platform } from '../platform/platform.js';

export const AUTHORIZATION = 'authorization.k8s.io';
export const AUTHENTICATION = 'authentication.k8s.io';

/** The sender without authentication. */
const ANYBODY: Identity = { user: ANONYMOUS, groups: [], rules: ALL_RULES, expiresAt: Infinity };

export type ReviewSpec = Readonly<Record<string, unknown>>;

export interface ReviewRequest extends Pick<Platform, 'guard' | 'service'> {
  readonly sender: Identity;
  /** Of a review in a namespace. */
  readonly namespace: string;
  /** Parses the body. */
  readonly getSpec: () => Promise<ReviewSpec>;
}

/** A kind whose objects are answered, and never stored. */
export interface Review extends GroupVersionKind, Pick<Resource, 'scope'> {
  /** `user` lets every user create it. Default: the right to create it. */
  readonly right?: 'user';
  /** @returns the members of the answer beside kind and metadata */
  readonly answer: (request: ReviewRequest) => MaybePromise<object>;
}

export function pluralOf({ kind }: Pick<Review, 'kind'>): string {
  return `${kind.toLowerCase()}s`;
}

export function reviewEndpoint(review: Review): PlatformEndpoint {
  const { kind, right, scope, answer } = review;
  const apiVersion = getApiVersion(review);
  const namespaces = scope === 'Namespaced' ? 'namespaces/:namespace/' : '';
  return {
    method: 'POST',
    path: `/apis/${apiVersion}/${namespaces}${pluralOf(review)}`,
    ...(right && { right }),
    handler:
      ({ bodies, converter, guard, service }) =>
      async (req: Request, res) => {
        const body = await bodies.read(req);
        const getSpec = async (): Promise<ReviewSpec> =>
          specIn(await parseBody(body, bodies.formatOf(req), converter));
        const sender = guard?.getIdentity(req) ?? ANYBODY;
        const { namespace = '' } = req.params;
        const members = await answer({ sender, guard, service, namespace: String(namespace), getSpec });
        sendValue(res, 201, { kind, apiVersion, metadata: {}, ...members });
      },
  };
}

export function specIn(value: unknown): ReviewSpec {
  return isRecord(value) && isRecord(value.spec) ? value.spec : {};
}

/** The groups of the service are listed for service accounts, which have no others. */
export function userInfo(identity: Pick<Identity, 'user' | 'groups'>): object {
  const { user, groups } = identity;
  return { username: user, groups: accountOf(user) === undefined ? groups : groupsOf(identity) };
}

/** The action that a review asks about. */
export function actionIn(kind: string, spec: ReviewSpec): Action {
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec;
  if (isRecord(resource) === isRecord(other))
    throw reviewFault(kind, {
      field: 'spec',
      message: 'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    });
  return isRecord(resource) ? resourceAction(resource) : pathAction(isRecord(other) ? other : {});
}

function pathAction({ verb, path }: ReviewSpec): Action {
  return { verb: textOf(verb), path: textOf(path) };
}

function resourceAction(attributes: ReviewSpec): Action {
  // In Kubernetes' reviews an empty text means an absent one.
  const [subresource, name] = [textOf(attributes.subresource), textOf(attributes.name)];
  const namespace = textOf(attributes.namespace);
  return {
    verb: textOf(attributes.verb),
    group: textOf(attributes.group),
    resource: textOf(attributes.resource),
    ...(subresource !== '' && { subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
  };
}

export function reviewFault(kind: string, { field, message }: Pick<Cause, 'field' | 'message'>): Error {
  return invalid(kind, [{ field, reason: 'FieldValueInvalid', message }]);
}
