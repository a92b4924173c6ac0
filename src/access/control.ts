import { formatExcerpt, ServiceError } from '../errors.js';
import { latestNow } from '../lib/time/clock.js';
import { mapMaybe, type MaybePromise } from '../lib/work/maybe-promise.js';
import type { ExtensionObject } from '../model/object.js';
import { ANONYMOUS } from '../model/system-users.js';
import type { Service } from '../service/service.js';
import type { CommitCheck, ResourceRef } from '../service/verbs.js';
import { admitted } from './checked-write.js';
import { accessStamp, grantsStamp, readGrants } from './grants.js';
import { TOKENS, USERS, type TokenSpec, type UserSpec } from './models.js';
import { refuseEndingChanges } from './ending-changes.js';
import { isJwt, LatestIssued, type IssuedUser, type TokenIssuer } from './issued-user.js';
import { refuseOthersObjects } from './ownership.js';
import { getGroups, Policy, type UserWithGroups } from './policy.js';
import { isAllowed, refuseAction, type Action, type AccessRule } from './rules.js';
import { hasDigest, tokenId, type TokenRef } from './token.js';

/** The sender of a request, at the time of the request. */
export interface Identity extends UserWithGroups {
  readonly rules: readonly AccessRule[];
  /** The source of the identity; undefined for {@link ANONYMOUS} and for users who are only named. */
  readonly holder?: Holder;
  /** The groups that an issuer has confirmed. */
  readonly issuedGroups?: readonly string[];
}

/** The object of a token, or what an issuer has confirmed. */
export type Holder = TokenRef | IssuedUser;

interface Known extends Identity {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A token, which is empty for {@link ANONYMOUS}, or what it stands for. */
type Credential = string | Holder;

/** The limit of cached tokens, and of users, between two changes of access. */
const KNOWN_MAX = 1_000;

/**
 * Authenticates and authorises requests. A change of users, tokens, roles or bindings is effective from its commit on, whichever
 * process wrote it.
 */
export class AccessControl {
  /** By credential, valid for {@link stamp}. */
  readonly #known = new Map<string | IssuedUser, Known>();
  /** By name, valid for {@link stamp}. */
  readonly #users = new Map<string, Known>();
  readonly #latestIssued = new LatestIssued();
  /** The stamp of users, tokens, roles and bindings for {@link known}. */
  #stamp = '';
  /** The store's revision when the stamp was read. */
  #revision = -1;
  #policy: { readonly stamp: string; readonly rules: Policy } | undefined;

  /**
   * @param now in milliseconds since 1970. Default: a clock that makes no token valid again when the system clock is set back
   * @param issuer identifies JSON Web Tokens. Default: they are unknown tokens
   */
  constructor(
    private readonly service: Service,
    private readonly now = latestNow,
    private readonly issuer?: TokenIssuer,
  ) {}

  /**
   * @param authorization the header's value; without it, the sender is {@link ANONYMOUS}
   * @throws ServiceError `Unauthorized` for anything except a valid token
   */
  identify(authorization: string | undefined): MaybePromise<Identity> {
    // No token is empty.
    const token = authorization === undefined ? '' : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized('the Authorization header must be "Bearer TOKEN"');
    if (this.issuer === undefined || !isJwt(token)) return this.#identify(token);
    return mapMaybe(this.issuer.identify(token), (issued) => this.#identify(issued));
  }

  /**
   * The sender who has a token, by the token's object or by what an issuer has confirmed.
   * @throws ServiceError `Unauthorized` when the token is no longer valid
   */
  identifyHolder(holder: Holder): MaybePromise<Identity> {
    return this.#identify(holder);
  }

  #identify(credential: Credential): MaybePromise<Identity> {
    return mapMaybe(this.#refresh(), () => this.#getIdentity(credential));
  }

  /**
   * The identity of a user by name, for writes in the user's name.
   * @param user undefined: a sender without credentials, {@link ANONYMOUS}
   * @throws ServiceError `Forbidden` when no user has the name, or the user is disabled
   */
  identityOf(user: string | undefined): MaybePromise<Identity> {
    return mapMaybe(this.#refresh(), () => {
      const name = user ?? ANONYMOUS;
      const known = this.#users.get(name);
      return known !== undefined && this.now() < known.expiresAt ? known : this.#findUser(name, this.#stamp);
    });
  }

  /**
   * The rights of a user and of groups by their names, for a program that authorizes its own clients.
   * @param user empty: only the groups
   * @throws ServiceError `Forbidden` when no user has the name, or the user is disabled
   */
  async rulesOf({ user, groups }: UserWithGroups): Promise<readonly AccessRule[]> {
    const own = user === '' ? [] : (await this.identityOf(user)).rules;
    // No binding has a subject without a name.
    return [...own, ...(await this.#withRules({ user: '', groups })).rules];
  }

  /**
   * @param action undefined for actions that every known user may do
   * @throws ServiceError `Forbidden` that names the user and the action; `Unauthorized` when credentials might allow it
   */
  authorize({ user, rules }: Identity, action: Action | undefined): void {
    if (action === undefined ? user !== ANONYMOUS : isAllowed(rules, action)) return;
    if (action === undefined || user === ANONYMOUS)
      throw unauthorized('the request has no credentials; send a token as "Authorization: Bearer TOKEN"');
    throw refuseAction(`user "${user}"`, action, missingSubresource(rules, action));
  }

  /** Runs a write of a user, see {@link admitted} and {@link refuseEndingChanges}. */
  admit<T>(identity: Identity, write: (admission: CommitCheck) => Promise<T>): Promise<T> {
    const { user, issuedGroups } = identity;
    // Its rights are read again with the commit.
    return admitted(this.service, { user, ...(issuedGroups && { issuedGroups }) }, (admission) =>
      write((tx, changes) => {
        refuseEndingChanges(identity, changes);
        refuseOthersObjects(identity, changes);
        admission(tx, changes);
      }),
    );
  }

  /** Drops known senders when access has changed. */
  #refresh(): MaybePromise<void> {
    return mapMaybe(this.service.store.revision(), this.#noteRevision);
  }

  readonly #noteRevision = (revision: number): MaybePromise<void> => {
    if (revision === this.#revision) return undefined;
    return mapMaybe(accessStamp(this.service), (stamp) => {
      if (stamp !== this.#stamp) {
        this.#known.clear();
        this.#users.clear();
      }
      this.#stamp = stamp;
      this.#revision = revision;
    });
  };

  #getIdentity(credential: Credential): MaybePromise<Identity> {
    const known = this.#known.get(keyOf(credential));
    return known === undefined ? this.#lookUp(credential, this.#stamp) : this.#unlessExpired(known);
  }

  async #lookUp(credential: Credential, stamp: string): Promise<Identity> {
    const known = await this.#read(credential);
    // A state that has changed meanwhile must not be stored as the newer one.
    if (stamp === this.#stamp) this.#remember(keyOf(credential), known);
    return this.#unlessExpired(known);
  }

  async #read(credential: Credential): Promise<Known> {
    if (credential === '')
      return { ...(await this.#withRules({ user: ANONYMOUS, groups: [] })), expiresAt: Infinity };
    return isIssued(credential) ? this.#getIssued(credential) : this.#getOwner(credential);
  }

  async #getIssued(issued: IssuedUser): Promise<Known> {
    const user = await this.#find(USERS, issued.user);
    if (isDisabled(user)) throw unauthorized(`user "${issued.user}" is disabled`);
    this.#latestIssued.note(issued);
    // Its groups may have changed.
    this.#users.delete(issued.user);
    return { ...(await this.#withIssued(issued, user)), holder: issued };
  }

  /** The groups of the issuer count in addition to those of the user's object. */
  async #withIssued(issued: IssuedUser, object: ExtensionObject | undefined): Promise<Known> {
    const { user, groups: issuedGroups, expiresAt } = issued;
    const groups = [...new Set([...issuedGroups, ...getGroups(object)])];
    return { ...(await this.#withRules({ user, groups })), issuedGroups, expiresAt };
  }

  async #getOwner(credential: string | TokenRef): Promise<Known> {
    const object = await this.#findToken(credential);
    if (object === undefined) throw unauthorized('invalid or revoked token');
    const { name, uid } = object.metadata;
    const spec = object.spec as TokenSpec;
    const user = await this.#find(USERS, spec.user);
    // A new user of the same name is another user.
    if (user === undefined || user.metadata.uid !== spec.userUID)
      throw unauthorized(`the token belongs to user "${spec.user}", who was deleted`);
    if (isDisabled(user)) throw unauthorized(`user "${spec.user}" is disabled`);
    const expiresAt =
      spec.expirationTimestamp === undefined ? Infinity : Date.parse(spec.expirationTimestamp);
    const identity = await this.#withRules({ user: spec.user, groups: getGroups(user) });
    return { ...identity, holder: { name, uid }, expiresAt };
  }

  async #findUser(name: string, stamp: string): Promise<Identity> {
    const known = await this.#readUser(name);
    // A state that has changed meanwhile must not be stored as the newer one.
    if (stamp === this.#stamp) {
      if (this.#users.size >= KNOWN_MAX) this.#users.clear();
      this.#users.set(name, known);
    }
    return known;
  }

  async #readUser(name: string): Promise<Known> {
    const user = name === ANONYMOUS ? undefined : await this.#find(USERS, name);
    if (isDisabled(user)) throw forbidden(`user "${name}" is disabled`);
    const issued = this.#latestIssued.find(name, this.now());
    if (issued !== undefined) return this.#withIssued(issued, user);
    if (user === undefined && name !== ANONYMOUS && this.issuer?.mayName(name) !== true)
      throw forbidden(`there is no user "${formatExcerpt(name)}"`);
    return { ...(await this.#withRules({ user: name, groups: getGroups(user) })), expiresAt: Infinity };
  }

  async #withRules(member: UserWithGroups): Promise<Identity> {
    return { ...member, rules: (await this.#rules()).rulesFor(member) };
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

  #remember(key: string | IssuedUser, known: Known): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(key, known);
  }

  #unlessExpired(known: Known): Identity {
    // A date that cannot be parsed must not admit a user.
    if (this.now() < known.expiresAt) return known;
    throw unauthorized('the token has expired');
  }

  async #find(model: ResourceRef, name: string): Promise<ExtensionObject | undefined> {
    const [object] = await this.service.getMany(model, [name]);
    return object;
  }

  /** Read again only when a role or a binding has changed. */
  async #rules(): Promise<Policy> {
    const stamp = await grantsStamp(this.service);
    if (this.#policy?.stamp === stamp) return this.#policy.rules;
    const { roles, bindings } = await readGrants(this.service);
    const rules = new Policy(roles, bindings.values());
    this.#policy = { stamp, rules };
    return rules;
  }
}

function isDisabled(user: ExtensionObject | undefined): boolean {
  // The model's schema has checked the type.
  return (user?.spec as UserSpec | undefined)?.disabled === true;
}

function isIssued(credential: Credential): credential is IssuedUser {
  return typeof credential !== 'string' && 'expiresAt' in credential;
}

/** A token has no space. */
function keyOf(credential: Credential): string | IssuedUser {
  if (typeof credential === 'string' || isIssued(credential)) return credential;
  return `${credential.name} ${credential.uid}`;
}

function forbidden(message: string): ServiceError {
  return new ServiceError('Forbidden', message);
}

function unauthorized(message: string): ServiceError {
  return new ServiceError('Unauthorized', message);
}

/** Says that a role which allows a resource does not allow what is below its objects. */
function missingSubresource(rules: readonly AccessRule[], action: Action): string {
  if ('path' in action || action.subresource === undefined) return '';
  const { subresource, ...whole } = action;
  if (!isAllowed(rules, whole)) return '';
  const { resource } = action;
  return `; the role allows ${formatExcerpt(resource)}, and must name ${formatExcerpt(`${resource}/${subresource}`)} as well`;
}
