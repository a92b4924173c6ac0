import type { Request } from 'express';
import type { Identity } from '../../access/control.js';
import { isAllowed, type Action, type AccessRule } from '../../access/rules.js';
import { badRequest } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { ANONYMOUS } from '../../model/system-users.js';
import { parseBody } from '../body/body.js';
import type { AccessGuard } from '../guards/access-guard.js';
import type { BodyOptions } from '../endpoint/body.js';
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

/** @param getReview parses the body */
type Answer = (who: Identity, getReview: () => Promise<unknown>) => MaybePromise<object>;

/** Reviews of one's own rights: `kubectl auth can-i` and `kubectl auth whoami`. */
export const REVIEWS: readonly PlatformEndpoint<ReviewNeeds>[] = [
  review(`${AUTHORIZATION}/selfsubjectaccessreviews`, async ({ user, rules }, getReview) => {
    const allowed = isAllowed(rules, actionIn(await getReview()));
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
        const getReview = (): Promise<unknown> => parseBody(body, bodies.formatOf(req), converter);
        sendValue(res, 201, await answer(guard?.getIdentity(req) ?? ANYBODY, getReview));
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

/** The action that a review asks about. */
function actionIn(value: unknown): Action {
  const spec = isRecord(value) && isRecord(value.spec) ? value.spec : {};
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec;
  if (isRecord(other)) return { verb: textIn(other.verb), path: textIn(other.path) };
  if (!isRecord(resource)) throw badRequest('spec must have resourceAttributes or nonResourceAttributes');
  // In Kubernetes' reviews an empty text means an absent one.
  const [subresource, name] = [textIn(resource.subresource), textIn(resource.name)];
  return {
    verb: textIn(resource.verb),
    group: textIn(resource.group),
    resource: textIn(resource.resource),
    ...(subresource !== '' && { subresource }),
    ...(name !== '' && { name }),
  };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
