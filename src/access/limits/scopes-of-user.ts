import type { ServiceError } from '../../errors.js';
import { refuseAction, type Action } from '../rules.js';
import { SenderScopes, type Member } from './sender-scopes.js';

const known = new WeakMap<Member, SenderScopes>();

/** The parts of models that a user may read and write. */
export function scopesOf(identity: Member): SenderScopes {
  const found = known.get(identity);
  if (found !== undefined) return found;
  const scopes = new SenderScopes(identity, (action, reason) => refuseUser(identity, action, reason));
  known.set(identity, scopes);
  return scopes;
}

/** The error for an action that the rules of a user do not allow. */
export function refuseUser({ user }: Pick<Member, 'user'>, action: Action, reason = ''): ServiceError {
  return refuseAction(`user "${user}"`, action, reason);
}
