import { ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { Ownership } from '../../model/declare/scheme.js';
import { parseObject } from '../../store/object-record.js';
import type { ResourceRef } from '../../service/verbs.js';
import type { WrittenChange } from '../../store/transaction.js';
import { ACCESS_GROUP, TOKENS, type TokenSpec } from '../models.js';
import type { Action } from '../rules.js';

/** A user who writes tokens of that name. */
export interface TokenOwner {
  readonly user: string;
  readonly uid?: string;
  /** The end of the token with which it was identified, in milliseconds since 1970. */
  readonly tokenEndsAt?: number;
}

const VERBS: ReadonlySet<string> = new Set(['create', 'get', 'list', 'delete']);

/** True for actions that every user may do with tokens of that name, without a right. */
export function isOnOwnTokens(action: Action | undefined): boolean {
  return (
    action !== undefined &&
    'group' in action &&
    action.group === ACCESS_GROUP &&
    action.resource === TOKENS.plural &&
    action.subresource === undefined &&
    VERBS.has(action.verb)
  );
}

/** The tokens of a user, for senders without a right to all tokens. */
export const OWN_TOKENS: Ownership = {
  // The model's schema has checked the type.
  ownerOf: (token) => (token.spec as TokenSpec).user,
  isShared: () => false,
  filterFor: (user) => `spec.user == ${JSON.stringify(user)}`,
};

/** A new token as it is stored: a user need not know its uid to create one for itself. */
export function withOwnUid(
  model: Pick<ResourceRef, 'group' | 'plural'>,
  token: unknown,
  owner: TokenOwner,
): unknown {
  if (model.group !== ACCESS_GROUP || model.plural !== TOKENS.plural) return token;
  if (!isRecord(token) || !isRecord(token.spec)) return token;
  const { spec } = token;
  if (spec.user !== owner.user || spec.userUID !== undefined || owner.uid === undefined) return token;
  return { ...token, spec: { ...spec, userUID: owner.uid } };
}

/**
 * Refuses writes of anything except tokens of the sender. A token with an end makes no token that ends later.
 * @throws ServiceError `Forbidden`
 */
export function refuseOthersTokens(owner: TokenOwner, changes: readonly WrittenChange[]): void {
  for (const { table, old, next } of changes) {
    const { group, kind } = table.resource;
    const isToken = group === ACCESS_GROUP && kind === TOKENS.kind;
    const specs = [old && parseObject(old.bytes), next && parseObject(next.json)].map((one) =>
      // The model's schema has checked the type.
      one === undefined ? undefined : (one.spec as TokenSpec),
    );
    if (!isToken || specs.some((spec) => spec !== undefined && spec.user !== owner.user))
      throw refused(owner, 'write only tokens of that name');
    const made = specs[1];
    if (old !== undefined || made === undefined) continue;
    if (owner.uid === undefined || made.userUID !== owner.uid)
      throw refused(owner, 'create a token only with its own uid in spec.userUID; leave it out');
    if (owner.tokenEndsAt !== undefined && endOf(made) > owner.tokenEndsAt)
      throw refused(
        owner,
        `create no token that ends after the one it uses (${new Date(owner.tokenEndsAt).toISOString()})`,
      );
  }
}

/** The end of a token, in milliseconds since 1970. */
export function endOf({ expirationTimestamp: end }: TokenSpec): number {
  return end === undefined ? Infinity : Date.parse(end);
}

function refused({ user }: TokenOwner, what: string): ServiceError {
  return new ServiceError('Forbidden', `user "${user}" may ${what}`);
}
