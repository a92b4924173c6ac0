import { ANONYMOUS } from '../../model/system-users.js';

const PREFIX = 'system:serviceaccount:';
const ACCOUNTS = 'system:serviceaccounts';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';

/** Its members may do everything. Only a certificate or a review of rights can name it: users and ID tokens cannot have it. */
export const MASTERS = 'system:masters';

/** The user of a service account. No object of a user can have such a name. */
export function accountUser(namespace: string, name: string): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The service account of a user; undefined for another user. Neither of its names can have a colon. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(PREFIX.length).split(':');
  return namespace === '' || name === '' || more.length > 0 ? undefined : { namespace, name };
}

/** The groups of the service that a user is a member of, as in Kubernetes. */
export function builtInGroups(user: string): readonly string[] {
  // No user: only groups.
  if (user === '') return [];
  if (user === ANONYMOUS) return [UNAUTHENTICATED];
  const account = accountOf(user);
  return [...(account === undefined ? [] : [ACCOUNTS, `${ACCOUNTS}:${account.namespace}`]), AUTHENTICATED];
}
