import type { Request } from 'express';
import type { Identity } from '../../access/control.js';
import { isAllowed, type Action, type AccessRule } from '../../access/rules.js';
import { badRequest } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { ANONYMOUS } from '../../model/system-users.js';
import { parseBody } from '../body/body.js';
import type { Converter } from '../answer/converter.js';
import type { AccessGuard } from '../guards/access-guard.js';
import type { BodyOptions } from '../endpoint/body.js';
import { bodyFormat } from '../answer/media.js';
import { messageAt, readProtobuf, textAt } from './protobuf.js';
import { sendValue } from '../answer/respond.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';

const AUTHORIZATION = 'authorization.k8s.io/v1';
/** Kubernetes supported the beta version up to 1.27. */
const AUTHENTICATIONS = ['authentication.k8s.io/v1', 'authentication.k8s.io/v1beta1'] as const;
/** The identity of every sender without authentication. */
const ANYBODY: Identity = {
  user: ANONYMOUS,
  rules: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
};

export interface ReviewNeeds extends BodyOptions {
  /** Undefined without authentication. */
  readonly guard?: AccessGuard | undefined;
}

type Answer = (who: Identity, body: Buffer, request: ReviewRequest) => MaybePromise<object>;

interface ReviewRequest {
  readonly contentType: string | undefined;
  readonly converter: Converter;
}

/** Reviews of one's own rights: `kubectl auth can-i` and `kubectl auth whoami`. */
export const REVIEWS: readonly PlatformEndpoint<ReviewNeeds>[] = [
  review(`${AUTHORIZATION}/selfsubjectaccessreviews`, async ({ user, rules }, body, request) => {
    const allowed = isAllowed(rules, await actionIn(body, request));
    const reason = `user "${user}" has ${allowed ? 'a' : 'no'} role that allows it`;
    return named(AUTHORIZATION, 'SelfSubjectAccessReview', { spec: {}, status: { allowed, reason } });
  }),
  review(`${AUTHORIZATION}/selfsubjectrulesreviews`, ({ rules }) =>
    named(AUTHORIZATION, 'SelfSubjectRulesReview', { spec: {}, status: rulesStatus(rules) }),
  ),
  ...AUTHENTICATIONS.map((version) =>
    review(`${version}/selfsubjectreviews`, ({ user }) =>
      named(version, 'SelfSubjectReview', { status: { userInfo: { username: user, groups: [] } } }),
    ),
  ),
];

function review(path: string, answer: Answer): PlatformEndpoint<ReviewNeeds> {
  return {
    method: 'POST',
    path: `/apis/${path}`,
    right: 'user',
    handler:
      ({ bodies, converter, guard }) =>
      async (req: Request, res) => {
        const body = await bodies.read(req);
        const request = { contentType: req.headers['content-type'], converter };
        sendValue(res, 201, await answer(guard?.getIdentity(req) ?? ANYBODY, body, request));
      },
  };
}

function named(apiVersion: string, kind: string, rest: object): object {
  return { apiVersion, kind, metadata: {}, ...rest };
}

function rulesStatus(rules: readonly AccessRule[]): object {
  const resourceRules = rules.filter(({ resources = [] }) => resources.length > 0);
  const nonResourceRules = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0);
  return {
    incomplete: false,
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => {
      return { verbs, apiGroups, resources, resourceNames };
    }),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
  };
}

/** The action that a review asks about. Newer versions of kubectl send protobuf. */
async function actionIn(body: Buffer, { contentType, converter }: ReviewRequest): Promise<Action> {
  if (contentType?.startsWith('application/vnd.kubernetes.protobuf') === true) return protobufAction(body);
  const value = await parseBody(body, bodyFormat(contentType), converter);
  const spec = isRecord(value) && isRecord(value.spec) ? value.spec : {};
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec;
  if (isRecord(other)) return { verb: textIn(other.verb), path: textIn(other.path) };
  if (!isRecord(resource)) throw badRequest('spec must have resourceAttributes or nonResourceAttributes');
  const [verb, group, plural, sub, name] = ['verb', 'group', 'resource', 'subresource', 'name'].map((key) =>
    textIn(resource[key]),
  );
  return actionOn({ verb, group, resource: plural, subresource: sub, name });
}

/** `k8s\0`, then runtime.Unknown with a SelfSubjectAccessReview in member 2; see its generated.proto. */
function protobufAction(body: Buffer): Action {
  if (body.subarray(0, MAGIC.length).toString('latin1') !== MAGIC)
    throw badRequest('the body is not protobuf of Kubernetes');
  const raw = messageAt(readProtobuf(body.subarray(MAGIC.length)), 2);
  const spec = messageAt(raw, 2);
  if (spec.has(2)) {
    const other = messageAt(spec, 2);
    return { path: textAt(other, 1), verb: textAt(other, 2) };
  }
  const [verb, group, , resource, subresource, name] = [2, 3, 4, 5, 6, 7].map((member) =>
    textAt(messageAt(spec, 1), member),
  );
  return actionOn({ verb, group, resource, subresource, name });
}

const MAGIC = 'k8s\0';

interface Attributes {
  readonly verb: string | undefined;
  readonly group: string | undefined;
  readonly resource: string | undefined;
  readonly subresource: string | undefined;
  readonly name: string | undefined;
}

/** In Kubernetes' reviews an empty text means an absent one. */
function actionOn({ verb = '', group = '', resource = '', subresource = '', name = '' }: Attributes): Action {
  return {
    verb,
    group,
    resource,
    ...(subresource !== '' && { subresource }),
    ...(name !== '' && { name }),
  };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
