import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../errors.js';
import { earliestNow, latestNow } from '../lib/time/clock.js';
import type { Engine } from '../store/engine.js';
import { metaKey, under } from '../store/index/keys.js';
import type { Store } from '../store/store.js';
import { removeRange } from '../store/with-snapshot.js';
import { isTextArray } from '../lib/json/json.js';
import type { Holder } from './identity/identity.js';

/** A ticket is `xsvct_<signature><body>`, in base64url. */
const PREFIX = 'xsvct_';
const FORMAT = 1;
const SIGNATURE_BYTES = 32;
const NONCE_BYTES = 16;
/** A ticket is part of a URL, which has a limit. */
const LENGTH_MAX = 4_000;
/** Lifetime of a ticket, in milliseconds. */
export const TICKET_MS = 30_000;

export interface IssuedTicket {
  readonly ticket: string;
  /** The end of its lifetime, in ISO 8601. */
  readonly expires: string;
}

/** A valid ticket, which may have been used before. */
export interface OpenedTicket {
  /** The token of the user who asked for it; undefined when no token was required. */
  readonly holder: Holder | undefined;
  /** Differs from that of every other ticket. */
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly expiresMs: number;
}

/**
 * Tickets replace a token in the URL of one request. A ticket is signed with the secret of the store, so every
 * process on the store can check it, and nothing is stored when it is issued. Its use is recorded in the store, in
 * one commit: of several uses, in whatever processes, one succeeds.
 */
export class WatchTickets {
  readonly #key: Buffer;

  /** @param now in milliseconds since 1970. Default: a clock that makes no ticket valid again when the system clock is set back */
  constructor(
    private readonly store: Pick<Store, 'engine' | 'secret'>,
    private readonly now = latestNow,
  ) {
    // Another key than that of continue tokens.
    this.#key = createHmac('sha256', store.secret).update('watch tickets').digest();
  }

  /** @param target the path and the query of the request */
  issue(holder: Holder | undefined, target: string): IssuedTicket {
    const expiresMs = Math.ceil(this.now()) + TICKET_MS;
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const body = Buffer.from(
      JSON.stringify([
        FORMAT,
        expiresMs,
        nonce,
        digest(target),
        ...(holder === undefined ? [] : membersOf(holder)),
      ]),
    );
    const ticket = PREFIX + Buffer.concat([this.#sign(body), body]).toString('base64url');
    if (ticket.length > LENGTH_MAX)
      throw new ServiceError(
        'Forbidden',
        'the groups of the user are too long for a ticket; use a token of the service',
      );
    return { ticket, expires: new Date(expiresMs).toISOString() };
  }

  /**
   * Reads a ticket.
   * @param target the path and the query of the request, without the ticket
   * @throws ServiceError `Unauthorized` for a ticket that this service did not issue, for another request, or late
   */
  open(ticket: string, target: string): OpenedTicket {
    const [format, expiresMs, nonce, made, ...holder] = this.#readBody(ticket);
    if (format !== FORMAT || typeof expiresMs !== 'number' || typeof nonce !== 'string')
      throw refused('the ticket is of another version of the service');
    if (made !== digest(target)) throw refused('the ticket is for another path or query');
    if (this.now() >= expiresMs)
      throw refused(`the ticket has expired; one is valid for ${TICKET_MS / 1000} s`);
    return { holder: readHolder(holder), nonce, expiresMs };
  }

  /**
   * Records the use of a ticket.
   * @throws ServiceError `Unauthorized` when it was used before, `ServiceUnavailable` when the store cannot be written
   */
  async use({ nonce, expiresMs }: OpenedTicket): Promise<void> {
    const key = usedKey(expiresMs, nonce);
    const isFirst = await this.store.engine.commit((tx) => {
      if (tx.get(key) !== undefined) return false;
      tx.put(key, USED);
      return true;
    });
    if (!isFirst) throw refused('the ticket was used before; one is valid for a single request');
  }

  /** @returns the members of the body */
  #readBody(ticket: string): readonly unknown[] {
    const bytes = Buffer.from(ticket.slice(PREFIX.length), 'base64url');
    const [signature, body] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
    // Several spellings may decode to the same bytes; only the one that the service creates is accepted.
    const isWhole = body.length > 0 && PREFIX + bytes.toString('base64url') === ticket;
    if (!isWhole || !timingSafeEqual(signature, this.#sign(body)))
      throw refused('the ticket is not one of this service');
    const members: unknown = JSON.parse(body.toString());
    return Array.isArray(members) ? members : [];
  }

  #sign(body: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }
}

/** True for a text that is meant as a ticket. */
export function isTicket(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The error for a ticket that cannot be used. */
export function refused(reason: string): ServiceError {
  return new ServiceError('Unauthorized', `${reason}; ask for a new ticket`);
}

/** The object of a token as name and uid; a user of an issuer as name, groups and the end of the confirmation. */
function membersOf(holder: Holder): readonly unknown[] {
  if ('name' in holder) return [holder.name, holder.uid];
  if ('session' in holder) return [SESSION + holder.session, holder.uid];
  return [holder.user, holder.groups, holder.expiresAt];
}

/** No token has a slash in its name. */
const SESSION = 'session/';

function readHolder([name, uidOrGroups, expiresAt]: readonly unknown[]): Holder | undefined {
  if (typeof name !== 'string') return undefined;
  if (typeof uidOrGroups === 'string')
    return name.startsWith(SESSION)
      ? { session: name.slice(SESSION.length), uid: uidOrGroups }
      : { name, uid: uidOrGroups };
  if (!isTextArray(uidOrGroups) || typeof expiresAt !== 'number') return undefined;
  return { user: name, groups: uidOrGroups, expiresAt };
}

function digest(target: string): string {
  return createHash('sha256').update(target).digest('base64url');
}

const USED = Buffer.from([1]);
const USES = under(metaKey('ticket/'));
const TIME_DIGITS = 15;

/** By the end of the ticket, so that old uses are the first. */
function usedKey(expiresMs: number, nonce: string): Buffer {
  return metaKey(`ticket/${String(expiresMs).padStart(TIME_DIGITS, '0')}/${nonce}`);
}

/**
 * Time for which a use is kept after the end of its ticket, in milliseconds. For processes whose clocks are behind:
 * without the record they would accept the ticket again.
 */
const KEPT_MS = 300_000;
const SWEEP_MAX = 1_000;

/** Removes the records of tickets that have long expired. */
export async function sweepWatchTickets(engine: Engine, now = earliestNow()): Promise<void> {
  const old = { start: USES.start, end: usedKey(Math.max(0, Math.floor(now - KEPT_MS)), '') };
  await removeRange(engine, old, SWEEP_MAX);
}
