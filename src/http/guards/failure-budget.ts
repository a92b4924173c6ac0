export interface FailureBudgetOptions {
  /** Most failures of an address at once. */
  readonly failuresMax: number;
  /** Time until one more failure is allowed, in milliseconds. */
  readonly refillMs: number;
  /** Most addresses in memory; beyond it, those with the oldest failures are removed. */
  readonly addressesMax: number;
}

const DEFAULTS: FailureBudgetOptions = { failuresMax: 20, refillMs: 3_000, addressesMax: 10_000 };

/** The remaining failures of each address, as a bucket that refills. */
export class FailureBudget {
  readonly #options: FailureBudgetOptions;
  /** The time when a network's bucket is full again, in milliseconds; the network with the latest failure is last. */
  readonly #fullAt = new Map<string, number>();

  constructor(options: Partial<FailureBudgetOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Number of networks in memory. */
  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Counts a failure.
   * @returns undefined while the address has failures left; else the milliseconds until it has one again
   */
  spend(address: string, nowMs: number): number | undefined {
    const { failuresMax, refillMs, addressesMax } = this.#options;
    const network = getNetwork(address);
    const fullAt = Math.max(nowMs, this.#fullAt.get(network) ?? 0);
    const waitMs = fullAt + refillMs - failuresMax * refillMs - nowMs;
    this.#fullAt.delete(network);
    this.#fullAt.set(network, waitMs > 0 ? fullAt : fullAt + refillMs);
    for (const oldest of this.#fullAt.keys()) {
      if (this.#fullAt.size <= addressesMax) break;
      this.#fullAt.delete(oldest);
    }
    return waitMs > 0 ? waitMs : undefined;
  }
}

/** The network that identifies an address: an IPv6 host has a whole network of 64 bits. */
export function getNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(first ?? [])];
  if (tail !== undefined) while (groups.length + (last?.length ?? 0) < 8) groups.push('0');
  return [...groups, ...(last ?? [])].slice(0, 4).join(':');
}
