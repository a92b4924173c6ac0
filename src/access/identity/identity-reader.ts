import { formatExcerpt, ServiceError, unauthorized } from '../../errors.js';
import type { ExtensionObject } from '../../model/object.js';
import { ANONYMOUS } from '../../model/system-users.js';
import type { Service } from '../../service/service.js';
import type { ResourceRef } from '../../service/verbs.js';
import { joinFullName } from '../../model/full-name.js';
import { grantsStamp, readGrants } from '../grants.js';
import { accountOf } from '../rbac/account-user.js';
import { servedOf, SERVICE_ACCOUNTS } from '../rbac/models.js';
import { isIssued, type Credential, type Identity } from './identity.js';
import { LatestIssued, type IssuedUser, type TokenIssuer } from './issued-user.js';
import { isDisabled, SESSIONS, TOKENS, USERS, type SessionSpec, type TokenSpec } from '../models.js';
import { endOf } from './own-tokens.js';
import { getGroups, Policy, type UserWithGroups } from '../policy.js';
import type { AccessRule } from '../rules.js';
import { hasDigest, sessionId, tokenId, type TokenRef } from '../token.js';

interface IdentityReaderOptions {
  readonly service: Service;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  readonly issuer: TokenIssuer | undefined;
  /** Called with a user whose groups at the issuer may have changed. */
  readonly onIssued: (issued: IssuedUser) => void;
}

/** Reads identities from the store: users, tokens, and the rules of roles and bindings. */
export class IdentityReader {
  readonly #latestIssued = new LatestIssued();
  #policy: { readonly stamp: string; readonly rules: Policy } | undefined;

  constructor(private readonly options: IdentityReaderOptions) {}

  async read(credential: Credential): Promise<Identity> {
    if (credential === '')
      return { ...(await this.#withRules({ user: ANONYMOUS, groups: [] })), expiresAt: Infinity };
    if (isIssued(credential)) return this.#getIssued(credential);
    if (typeof credential === 'string' && sessionId(credential) !== undefined)
      return this.#getOfSession(sessionId(credential), (spec) => hasDigest(credential, spec.sha256));
    if (typeof credential !== 'string' && 'session' in credential)
      return this.#getOfSession(credential.session, (_, uid) => uid === credential.uid);
    return this.#getOwner(credential);
  }

  async #getIssued(issued: IssuedUser): Promise<Identity> {
    const user = await this.#find(USERS, issued.user);
    if (isDisabled(user)) throw unauthorized(`user "${issued.user}" is disabled`);
    this.#latestIssued.note(issued);
    this.options.onIssued(issued);
    const uid = this.#uidOf(issued.user, user);
    return { ...(await this.#withIssued(issued, user)), holder: issued, ...(uid && { uid }) };
  }

  async #getOfSession(
    name: string | undefined,
    isRight: (spec: SessionSpec, uid: string) => boolean,
  ): Promise<Identity> {
    const object = name === undefined ? undefined : await this.#find(SESSIONS, name);
    // The model's schema has checked the type.
    const spec = object?.spec as SessionSpec | undefined;
    if (object === undefined || spec === undefined || !isRight(spec, object.metadata.uid))
      throw unauthorized('the session has ended; sign in again');
    const user = await this.#find(USERS, spec.user);
    if (this.#uidOf(spec.user, user) !== spec.userUID)
      throw unauthorized(`the session belongs to user "${spec.user}", who was deleted`);
    const expiresAt = Date.parse(spec.expirationTimestamp);
    const { holder: _, ...identity } = await this.#getIssued({
      user: spec.user,
      groups: spec.groups ?? [],
      expiresAt,
    });
    return { ...identity, holder: { session: object.metadata.name, uid: object.metadata.uid } };
  }

  #uidOf(name: string, user: ExtensionObject | undefined): string | undefined {
    return user === undefined ? this.options.issuer?.uidOf(name) : user.metadata.uid;
  }

  /** The groups of the issuer count in addition to those of the user's object. */
  async #withIssued(issued: IssuedUser, object: ExtensionObject | undefined): Promise<Identity> {
    const { user, groups: issuedGroups, expiresAt } = issued;
    const groups = [...new Set([...issuedGroups, ...getGroups(object)])];
    return { ...(await this.#withRules({ user, groups })), issuedGroups, expiresAt };
  }

  async #getOwner(credential: string | TokenRef): Promise<Identity> {
    const object = await this.#findToken(credential);
    if (object === undefined) throw unauthorized('invalid or revoked token');
    const { name, uid } = object.metadata;
    const spec = object.spec as TokenSpec;
    if (accountOf(spec.user) !== undefined) return this.#getAccount(spec, { name, uid });
    const user = await this.#find(USERS, spec.user);
    // A new user of the same name is another user.
    if (this.#uidOf(spec.user, user) !== spec.userUID)
      throw unauthorized(`the token belongs to user "${spec.user}", who was deleted`);
    if (isDisabled(user)) throw unauthorized(`user "${spec.user}" is disabled`);
    const identity = await this.#withRules({ user: spec.user, groups: getGroups(user) });
    return { ...identity, uid: spec.userUID, holder: { name, uid }, expiresAt: endOf(spec) };
  }

  async #getAccount(spec: TokenSpec, holder: TokenRef): Promise<Identity> {
    const account = await this.#findAccount(spec.user);
    // A new account of the same name is another account.
    if (account?.metadata.uid !== spec.userUID || account.metadata.deletionTimestamp !== undefined)
      throw unauthorized(`the token belongs to "${spec.user}", which was deleted`);
    const identity = await this.#withRules({ user: spec.user, groups: [] });
    return { ...identity, uid: spec.userUID, holder, expiresAt: endOf(spec) };
  }

  /** Undefined without the account, and where no accounts are served. */
  async #findAccount(user: string): Promise<ExtensionObject | undefined> {
    const account = accountOf(user);
    const [model] = servedOf(this.options.service.models, [SERVICE_ACCOUNTS]);
    return account && model && this.#find(model, joinFullName(account));
  }

  async readUser(name: string): Promise<Identity> {
    const account = await this.#findAccount(name);
    if (account !== undefined) {
      const identity = await this.#withRules({ user: name, groups: [] });
      return { ...identity, uid: account.metadata.uid, expiresAt: Infinity };
    }
    const user = name === ANONYMOUS ? undefined : await this.#find(USERS, name);
    if (isDisabled(user)) throw forbidden(`user "${name}" is disabled`);
    const issued = this.#latestIssued.find(name, this.options.now());
    if (issued !== undefined) return this.#withIssued(issued, user);
    if (user === undefined && name !== ANONYMOUS && this.options.issuer?.uidOf(name) === undefined)
      throw forbidden(`there is no user "${formatExcerpt(name)}"`);
    return { ...(await this.#withRules({ user: name, groups: getGroups(user) })), expiresAt: Infinity };
  }

  async rulesFor(member: UserWithGroups): Promise<readonly AccessRule[]> {
    return (await this.#rules()).rulesFor(member);
  }

  async #withRules(member: UserWithGroups): Promise<Omit<Identity, 'expiresAt'>> {
    return { ...member, rules: await this.rulesFor(member) };
  }

  /** Undefined when there is no such token. */
  async #findToken(credential: string | TokenRef): Promise<ExtensionObject | undefined> {
    const name = typeof credential === 'string' ? tokenId(credential) : credential.name;
    const object = name === undefined ? undefined : await this.#find(TOKENS, name);
    if (object === undefined) return undefined;
    if (typeof credential !== 'string') return object.metadata.uid === credential.uid ? object : undefined;
    // The model's schema has checked the type.
    return hasDigest(credential, (object.spec as TokenSpec).sha256) ? object : undefined;
  }

  async #find(model: ResourceRef, name: string): Promise<ExtensionObject | undefined> {
    const [object] = await this.options.service.getMany(model, [name]);
    return object;
  }

  /** Read again only when a role or a binding has changed. */
  async #rules(): Promise<Policy> {
    const stamp = await grantsStamp(this.options.service);
    if (this.#policy?.stamp === stamp) return this.#policy.rules;
    const { roles, bindings } = await readGrants(this.options.service);
    const rules = new Policy(roles, bindings.values());
    this.#policy = { stamp, rules };
    return rules;
  }
}

function forbidden(message: string): ServiceError {
  return new ServiceError('Forbidden', message);
}
