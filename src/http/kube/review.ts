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

export const AUTHORIZATION = 'authorization.k8s.io/v1';
export const AUTHENTICATION = 'authentication.k8s.io/v1';
/** Kubernetes supported the beta version up to 1.27. */
const AUTHENTICATIONS = [AUTHENTICATION, 'authentication.k8s.io/v1beta1'] as const;
/** The identity of every sender without authentication. */
export const ANYBODY: Identity = {
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

/** The sender of a review, and its path. */
interface ReviewRequest extends Pick<ReviewNeeds, 'guard'>, Pick<Request, 'params'> {
  readonly sender: Identity;
}

/** @param getReview parses the body */
type Answer = (request: ReviewRequest, getReview: () => Promise<unknown>) => MaybePromise<object>;

/** Reviews of one's own rights: `kubectl auth can-i` and `kubectl auth whoami`. */
export const REVIEWS: readonly PlatformEndpoint<ReviewNeeds>[] = [
  ownReview(`${AUTHORIZATION}/selfsubjectaccessreviews`, async ({ sender: { user, rules } }, getReview) => {
    const allowed = isAllowed(rules, actionIn(await getReview()));
    const reason = `user "${user}" has ${allowed ? 'a' : 'no'} role that allows it`;
    return named(AUTHORIZATION, 'SelfSubjectAccessReview', { spec: {}, status: { allowed, reason } });
  }),
  ownReview(`${AUTHORIZATION}/selfsubjectrulesreviews`, ({ sender }) =>
    named(AUTHORIZATION, 'SelfSubjectRulesReview', { spec: {}, status: rulesStatus(sender.rules) }),
  ),
  ...AUTHENTICATIONS.map((version) =>
    ownReview(`${version}/selfsubjectreviews`, ({ sender }) =>
      named(version, 'SelfSubjectReview', { status: { userInfo: userInfo(sender) } }),
    ),
  ),
];

function ownReview(path: string, answer: Answer): PlatformEndpoint<ReviewNeeds> {
  return { ...review(path, answer), right: 'user' };
}

export function review(path: string, answer: Answer): PlatformEndpoint<ReviewNeeds> {
  return {
    method: 'POST',
    path: `/apis/${path}`,
    handler:
      ({ bodies, converter, guard }) =>
      async (req: Request, res) => {
        const body = await bodies.read(req);
        const getReview = (): Promise<unknown> => parseBody(body, bodies.formatOf(req), converter);
        const sender = guard?.getIdentity(req) ?? ANYBODY;
        sendValue(res, 201, await answer({ sender, guard, params: req.params }, getReview));
      },
  };
}

export function named(apiVersion: string, kind: string, rest: object): object {
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

/** The `spec` of a body. */
export function specIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) && isRecord(value.spec) ? value.spec : {};
}

export function userInfo({ user }: Identity): object {
  return { username: user, groups: [] };
}

/** The action that a review asks about. */
export function actionIn(value: unknown): Action {
  const spec = specIn(value);
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

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
