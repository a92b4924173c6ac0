import type { JSONWebKeySet, JWTVerifyGetKey, LocalJWKSet } from 'jose';
import { getMessage } from '../errors.js';
import { isRecord } from '../lib/json/json.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import type { Clock } from '../lib/time/clock.js';
import { RateBudget } from '../lib/work/rate-budget.js';
import { discoverIssuer, readKeys, type IssuerMetadata } from './issuer.js';

/** Age at which the keys are read again, in milliseconds: a key that the issuer has withdrawn is not accepted for longer. */
const OLD_MS = 300_000;
/** Two reads at once, because a new key may come right after the first read; then one in 30 s. */
const READS = { usesMax: 2, refillMs: 30_000 };

interface KnownKeys {
  readonly find: LocalJWKSet;
  readonly text: string;
}

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the keys differ from those before. */
  readonly onChange: () => void;
}

/** The public keys of an issuer. While it cannot be reached, the last ones stay. */
export class IssuerKeys {
  #known: KnownKeys | undefined;
  #readAt = -Infinity;
  #metadata: IssuerMetadata | undefined;
  #reading: Promise<boolean> | undefined;
  readonly #reads = new RateBudget(READS);
  readonly #failures: LogLimit;

  constructor(private readonly options: IssuerKeysOptions) {
    this.#failures = new LogLimit(options.clock, 1);
  }

  /** Undefined before the first read that succeeded. */
  get find(): JWTVerifyGetKey | undefined {
    return this.#known?.find;
  }

  /** Begins to read the keys when they are old, without waiting for them. */
  renewIfOld(): void {
    if (this.options.clock.now() - this.#readAt >= OLD_MS) void this.renew();
  }

  /**
   * Reads the keys again. All callers share one read, and there is a limit on reads: a token with a random key must not
   * make work for the issuer.
   * @returns true when the keys are others than before
   */
  renew(): Promise<boolean> {
    if (this.#reading !== undefined) return this.#reading;
    if (this.#reads.spend('', this.options.clock.now()) !== undefined) return Promise.resolve(false);
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<boolean> {
    const { issuer, clock, logger, onChange } = this.options;
    try {
      this.#metadata ??= await discoverIssuer(issuer);
      const keys = await readKeys(this.#metadata);
      if (!isKeySet(keys)) throw new Error(`${this.#metadata.jwks_uri} has no list of keys`);
      const text = JSON.stringify(keys);
      this.#readAt = clock.now();
      if (text === this.#known?.text) return false;
      const { createLocalJWKSet } = await import('jose');
      this.#known = { find: createLocalJWKSet(keys), text };
      onChange();
      return true;
    } catch (error) {
      // The address of the keys may have changed.
      this.#metadata = undefined;
      const effect = this.#known === undefined ? 'ID tokens are refused' : 'only known keys are accepted';
      this.#failures.write(() =>
        logger.warn(`the keys of the issuer ${issuer} cannot be read; ${effect}: ${getMessage(error)}`),
      );
      return false;
    }
  }
}

/** True for a list of keys. A key that cannot be used fits no token. */
function isKeySet(value: Record<string, unknown>): value is Record<string, unknown> & JSONWebKeySet {
  const { keys } = value;
  return Array.isArray(keys) && keys.every((key) => isRecord(key) && typeof key.kty === 'string');
}
