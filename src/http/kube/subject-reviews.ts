import { AccessControl } from '../../access/control.js';
import { ALL_RULES, isAllowed } from '../../access/rules.js';
import { badRequest, getMessage, hasCode } from '../../errors.js';
import { isRecord, textOf, textsOf } from '../../lib/json/json.js';
import type { AccessGuard } from '../guards/access-guard.js';
import {
  actionIn,
  AUTHENTICATION,
  AUTHORIZATION,
  reviewFault,
  userInfo,
  type Review,
  type ReviewSpec,
} from './review.js';

/**
 * Reviews of the rights and tokens of others, for programs that authorize their own clients, such as kube-rbac-proxy. The
 * sender needs the right to create them.
 */
export const SUBJECT_REVIEWS: readonly Review[] = [
  {
    group: AUTHORIZATION,
    version: 'v1',
    kind: 'SubjectAccessReview',
    async answer({ guard, getSpec }) {
      const spec = await getSpec();
      return { spec, status: await accessStatus('SubjectAccessReview', spec, guard) };
    },
  },
  {
    group: AUTHORIZATION,
    version: 'v1',
    kind: 'LocalSubjectAccessReview',
    scope: 'Namespaced',
    async answer({ guard, namespace, getSpec }) {
      const spec = await getSpec();
      checkLocal('LocalSubjectAccessReview', spec, namespace);
      return { spec, status: await accessStatus('LocalSubjectAccessReview', spec, guard) };
    },
  },
  {
    group: AUTHENTICATION,
    version: 'v1',
    kind: 'TokenReview',
    async answer({ guard, service, getSpec }) {
      const spec = await getSpec();
      const token = textOf(spec.token);
      if (token === '') throw badRequest('spec.token is required');
      return { spec, status: await tokenStatus(token, guard ?? new AccessControl(service)) };
    },
  },
];

/** Groups of a review count in addition to those of the user. */
async function accessStatus(kind: string, spec: ReviewSpec, guard: AccessGuard | undefined): Promise<object> {
  const user = textOf(spec.user);
  if (user === '' && !Array.isArray(spec.groups))
    throw reviewFault(kind, { field: 'spec.user', message: 'a user or a group is required' });
  const action = actionIn(kind, spec);
  if (guard === undefined) return { allowed: isAllowed(ALL_RULES, action) };
  try {
    const rules = await guard.rulesOf({ user, groups: textsOf(spec.groups) });
    return { allowed: isAllowed(rules, action) };
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    return { allowed: false, reason: getMessage(error) };
  }
}

async function tokenStatus(token: string, control: Pick<AccessControl, 'identify'>): Promise<object> {
  try {
    return { authenticated: true, user: userInfo(await control.identify(`Bearer ${token}`)) };
  } catch (error) {
    if (!hasCode(error, 'Unauthorized')) throw error;
    return { user: {}, error: getMessage(error) };
  }
}

function checkLocal(
  kind: string,
  { resourceAttributes, nonResourceAttributes }: ReviewSpec,
  namespace: string,
): void {
  if (isRecord(nonResourceAttributes))
    throw reviewFault(kind, {
      field: 'spec.nonResourceAttributes',
      message: 'is not possible in a namespace',
    });
  if (isRecord(resourceAttributes) && resourceAttributes.namespace !== namespace)
    throw reviewFault(kind, {
      field: 'spec.resourceAttributes.namespace',
      message: `must be "${namespace}", as in the path`,
    });
}
