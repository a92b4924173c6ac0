import { isAllowed } from '../../access/rules.js';
import { badRequest, getMessage, hasCode, invalid, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { AccessGuard } from '../guards/access-guard.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';
import {
  actionIn,
  ANYBODY,
  AUTHENTICATION,
  AUTHORIZATION,
  named,
  review,
  specIn,
  textIn,
  userInfo,
  type ReviewNeeds,
} from './review.js';

/**
 * Reviews of the rights and tokens of others, for programs that authorize their own clients, such as kube-rbac-proxy. The
 * sender needs the right to create them.
 */
export const SUBJECT_REVIEWS: readonly PlatformEndpoint<ReviewNeeds>[] = [
  review(`${AUTHORIZATION}/subjectaccessreviews`, async ({ guard }, getReview) => {
    const kind = 'SubjectAccessReview';
    const spec = specIn(await getReview());
    return named(AUTHORIZATION, kind, { spec, status: await accessStatus(kind, spec, guard) });
  }),
  review(
    `${AUTHORIZATION}/namespaces/:namespace/localsubjectaccessreviews`,
    async ({ guard, params }, getReview) => {
      const kind = 'LocalSubjectAccessReview';
      const spec = specIn(await getReview());
      checkLocal(kind, spec, String(params.namespace));
      return named(AUTHORIZATION, kind, { spec, status: await accessStatus(kind, spec, guard) });
    },
  ),
  review(`${AUTHENTICATION}/tokenreviews`, async ({ guard }, getReview) => {
    const spec = specIn(await getReview());
    const token = textIn(spec.token);
    if (token === '') throw badRequest('spec.token is required');
    return named(AUTHENTICATION, 'TokenReview', { spec, status: await tokenStatus(token, guard) });
  }),
];

/** The service has no groups of users. Those of a review are ignored. */
async function accessStatus(kind: string, spec: Spec, guard: AccessGuard | undefined): Promise<object> {
  const user = textIn(spec.user);
  if (user === '' && !Array.isArray(spec.groups))
    throw fault(kind, { field: 'spec.user', message: 'a user or a group is required' });
  const action = actionIn({ spec });
  if (guard === undefined) return { allowed: isAllowed(ANYBODY.rules, action) };
  try {
    const { rules } = await guard.identityOf(user);
    return { allowed: isAllowed(rules, action) };
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    return { allowed: false, reason: getMessage(error) };
  }
}

async function tokenStatus(token: string, guard: AccessGuard | undefined): Promise<object> {
  try {
    if (guard === undefined) return { user: {}, error: 'the service has no authentication' };
    return { authenticated: true, user: userInfo(await guard.identityOfToken(token)) };
  } catch (error) {
    if (!hasCode(error, 'Unauthorized')) throw error;
    return { user: {}, error: getMessage(error) };
  }
}

type Spec = Readonly<Record<string, unknown>>;

function checkLocal(
  kind: string,
  { resourceAttributes, nonResourceAttributes }: Spec,
  namespace: string,
): void {
  if (isRecord(nonResourceAttributes))
    throw fault(kind, { field: 'spec.nonResourceAttributes', message: 'is not possible in a namespace' });
  if (isRecord(resourceAttributes) && resourceAttributes.namespace !== namespace)
    throw fault(kind, {
      field: 'spec.resourceAttributes.namespace',
      message: `must be "${namespace}", as in the path`,
    });
}

function fault(kind: string, { field, message }: Pick<Cause, 'field' | 'message'>): Error {
  return invalid(kind, [{ field, reason: 'FieldValueInvalid', message }]);
}
