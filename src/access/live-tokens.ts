import { latestNow } from '../lib/time/clock.js';
import { AttemptEnded } from '../lib/work/retry.js';
import type { ExtensionObject } from '../model/object.js';
import type { Service } from '../service/service.js';
import { TOKENS, type TokenSpec } from './models.js';

/** Tokens of these users must be read to decide if one of them is valid. */
export class TokensWanted extends AttemptEnded {
  constructor(readonly users: readonly string[]) {
    super('tokens must be read first');
  }
}

/** The users with a valid token. Tokens are read on demand, once. */
export class LiveTokens {
  /** The last expiration by the user's uid, in milliseconds since 1970. */
  readonly #until = new Map<string, number>();
  readonly #read = new Set<string>();

  constructor(
    private readonly service: Service,
    private readonly now = latestNow,
  ) {}

  /** @throws TokensWanted when the result depends on tokens that were not read */
  hasLive(users: readonly ExtensionObject[]): boolean {
    const now = this.now();
    if (users.some(({ metadata }) => (this.#until.get(metadata.uid) ?? 0) > now)) return true;
    const unread = users.map(({ metadata }) => metadata.name).filter((name) => !this.#read.has(name));
    if (unread.length > 0) throw new TokensWanted(unread);
    return false;
  }

  async fetch(users: readonly string[]): Promise<void> {
    const fieldSelector = `spec.user in (${users.join(',')})`;
    for await (const { spec } of this.service.listAll(TOKENS, { fieldSelector })) {
      // The model's schema has checked the type.
      const { userUID, expirationTimestamp: end } = spec as TokenSpec;
      const until = end === undefined ? Infinity : Date.parse(end);
      this.#until.set(userUID, Math.max(until, this.#until.get(userUID) ?? 0));
    }
    for (const user of users) this.#read.add(user);
  }
}
