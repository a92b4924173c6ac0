import { formatExcerpt, unauthorized } from '../errors.js';
import { latestNow } from '../lib/time/clock.js';
import { mapMaybe, type MaybePromise } from '../lib/work/maybe-promise.js';
import { ANONYMOUS } from '../model/system-users.js';
import type { Service } from '../service/service.js';
import type { CommitCheck } from '../service/verbs.js';
import { admitted } from './checked-write.js';
import { refuseEndingChanges } from './ending-changes.js';
import { accessStamp } from './grants.js';
import { isIssued, type Credential, type Holder, type Identity } from './identity/identity.js';
import { IdentityReader } from './identity/identity-reader.js';
import { isJwt, type IssuedUser, type TokenIssuer } from './identity/issued-user.js';
import { refuseOthersTokens, type TokenOwner } from './identity/own-tokens.js';
import { refuseOthersObjects } from './ownership.js';
import type { UserWithGroups } from './policy.js';
import { sessionId } from './token.js';
import { isAllowed, refuseAction, type Action, type AccessRule } from './rules.js';

/** The limit of cached tokens, and of users, between two changes of access. */
const KNOWN_MAX = 1_000;

/**
 * Authenticates and authorises requests. A change of users, tokens, roles or bindings is effective from its commit on, whichever
 * process wrote it.
 */
export class AccessControl {
  /** By credential, valid for {@link stamp}. */
  readonly #known = new Map<string | IssuedUser, Identity>();
  /** By name, valid for {@link stamp}. */
  readonly #users = new Map<string, Identity>();
  /** The stamp of users, tokens, roles and bindings for {@link known}. */
  #stamp = '';
  /** The store's revision when the stamp was read. */
  #revision = -1;
  readonly #reader: IdentityReader;

  /**
   * @param now in milliseconds since 1970. Default: a clock that makes no token valid again when the system clock is set back
   * @param issuer identifies JSON Web Tokens. Default: they are unknown tokens
   * @param hasCertificates true where certificates of clients name users. Default: false
   */
  constructor(
    private readonly service: Service,
    private readonly now = latestNow,
    private readonly issuer?: TokenIssuer,
    private readonly hasCertificates = false,
  ) {
    this.#reader = new IdentityReader({
      service,
      now,
      issuer,
      onIssued: ({ user }) => this.#users.delete(user),
    });
  }

  /**
   * @param authorization the header's value; without it, the sender is {@link ANONYMOUS}
   * @throws ServiceError `Unauthorized` for anything except a valid token
   */
  identify(authorization: string | undefined): MaybePromise<Identity> {
    // No token is empty.
    const token = authorization === undefined ? '' : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) throw unauthorized('the Authorization header must be "Bearer TOKEN"');
    if (sessionId(token) !== undefined) throw unauthorized('invalid or revoked token');
    if (this.issuer === undefined || !isJwt(token)) return this.#identify(token);
    return mapMaybe(this.issuer.identify(token), (issued) => this.#identify(issued));
  }

  /**
   * The sender of a request with the cookie of a session.
   * @throws ServiceError `Unauthorized` when the session has ended
   */
  identifySession(secret: string): MaybePromise<Identity> {
    if (sessionId(secret) === undefined) throw unauthorized('the session has ended; sign in again');
    return this.#identify(secret);
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
    return [...own, ...(await this.#reader.rulesFor({ user: '', groups }))];
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

  /**
   * Runs a write of a user, see {@link admitted} and {@link refuseEndingChanges}.
   * @param isOwnOnly true to allow only writes of the user's tokens
   */
  admit<T>(identity: Identity, write: (admission: CommitCheck) => Promise<T>, isOwnOnly = false): Promise<T> {
    const { user, issuedGroups } = identity;
    const mayBeIssued = (name: string): boolean =>
      this.hasCertificates || this.issuer?.uidOf(name) !== undefined;
    // Its rights are read again with the commit.
    const sender = { user, mayBeIssued, ...(issuedGroups && { issuedGroups }) };
    return admitted(this.service, sender, (admission) =>
      write((tx, changes) => {
        if (isOwnOnly) refuseOthersTokens(ownerOf(identity), changes);
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
    const known = await this.#reader.read(credential);
    // A state that has changed meanwhile must not be stored as the newer one.
    if (stamp === this.#stamp) this.#remember(keyOf(credential), known);
    return this.#unlessExpired(known);
  }

  async #findUser(name: string, stamp: string): Promise<Identity> {
    const known = await this.#reader.readUser(name);
    // A state that has changed meanwhile must not be stored as the newer one.
    if (stamp === this.#stamp) {
      if (this.#users.size >= KNOWN_MAX) this.#users.clear();
      this.#users.set(name, known);
    }
    return known;
  }

  #remember(key: string | IssuedUser, known: Identity): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(key, known);
  }

  #unlessExpired(known: Identity): Identity {
    // A date that cannot be parsed must not admit a user.
    if (this.now() < known.expiresAt) return known;
    throw unauthorized('the token has expired');
  }
}

/** An own token that ends must not make one that lasts; an ID token is a sign-in of the user itself. */
function ownerOf({ user, uid, holder, expiresAt }: Identity): TokenOwner {
  const hasOwnToken = holder !== undefined && 'name' in holder;
  return { user, ...(uid && { uid }), ...(hasOwnToken && { tokenEndsAt: expiresAt }) };
}

/** A token has no space. */
function keyOf(credential: Credential): string | IssuedUser {
  if (typeof credential === 'string' || isIssued(credential)) return credential;
  if ('session' in credential) return `session ${credential.session} ${credential.uid}`;
  return `${credential.name} ${credential.uid}`;
}

/** Says that a role which allows a resource does not allow what is below its objects. */
function missingSubresource(rules: readonly AccessRule[], action: Action): string {
  if ('path' in action || action.subresource === undefined) return '';
  const { subresource, ...whole } = action;
  if (!isAllowed(rules, whole)) return '';
  const { resource } = action;
  return `; the role allows ${formatExcerpt(resource)}, and must name ${formatExcerpt(`${resource}/${subresource}`)} as well`;
}
