import type { ServiceError } from '../../errors.js';
import { refuseAction, type Action } from '../rules.js';
import { SenderScopes, type LimitedSender } from './sender-scopes.js';

const known = new WeakMap<LimitedSender, SenderScopes>();

/** The parts of models that a user may read and write. */
export function scopesOf(identity: LimitedSender): SenderScopes {
  const found = known.get(identity);
  if (found !== undefined) return found;
  const scopes = new SenderScopes(identity, (action, reason) => refuseUser(identity, action, reason));
  known.set(identity, scopes);
  return scopes;
}

/** The error for an action that the rules of a user do not allow. */
export function refuseUser({ user }: Pick<LimitedSender, 'user'>, action: Action, reason = ''): ServiceError {
  return refuseAction(`user "${user}"`, action, reason);
}
